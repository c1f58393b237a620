import type { PrismaClient } from './generated/client.ts'

export interface ApiKeyRow {
  id: string
  tenant: string
  principal: string
  name: string
  hash: string
  scopes: string[]
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
}

export type NewApiKeyRow = Omit<ApiKeyRow, 'createdAt' | 'revokedAt'>

/** The keys that are kept in the database, without the keys themselves. */
export class ApiKeyTable {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  async find(id: string): Promise<ApiKeyRow | null> {
    return this.#prisma.apiKey.findUnique({ where: { id } })
  }

  async add(row: NewApiKeyRow): Promise<void> {
    await this.#prisma.apiKey.create({ data: row })
  }

  /** All of them, or one tenant's; oldest first. */
  async list(tenant?: string): Promise<ApiKeyRow[]> {
    return this.#prisma.apiKey.findMany({
      ...(tenant !== undefined && { where: { tenant } }),
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    })
  }

  /** False: there is no such key. One that is revoked already stays as it is. */
  async revoke(id: string): Promise<boolean> {
    await this.#prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } })
    return (await this.find(id)) !== null
  }
}

import { type NeedKey, type NeedKind, needKey } from './need.ts'
import type { PushConfigRow } from './push-rows.ts'
import type {
  ArtifactRow,
  AttemptRow,
  InputRequestRow,
  ObjectiveRow,
  PlannedRow,
  PlanRow,
  TaskDependencyRow,
  TaskRow,
} from './rows.ts'

/** A set of rows of one table by key. */
export type Rows<T> = Map<string, T>

/** What the write path has read of the contexts it holds locked. Never changed by deciding. */
export class Loaded {
  readonly objectives: Rows<ObjectiveRow> = new Map()
  readonly tasks: Rows<TaskRow> = new Map()
  readonly planned: Rows<PlannedRow> = new Map()
  readonly plans: Rows<PlanRow> = new Map()
  /** The newest attempt of each task, open or not, by task. */
  readonly attempts: Rows<AttemptRow> = new Map()
  readonly artifacts: Rows<ArtifactRow> = new Map()
  readonly inputs: Rows<InputRequestRow> = new Map()
  readonly pushConfigs: Rows<PushConfigRow> = new Map()
  readonly edges: Rows<TaskDependencyRow> = new Map()
  /** For each need that was met, the keys of the rows that answer it, in order. */
  private readonly answers = new Map<NeedKey, string[]>()

  /** Marks a need as met, by no row yet. */
  meet(kind: NeedKind, id: string): void {
    const key = needKey(kind, id)
    if (!this.answers.has(key)) this.answers.set(key, [])
  }

  answer(kind: NeedKind, id: string, rowKey: string): void {
    this.meet(kind, id)
    this.answers.get(needKey(kind, id))?.push(rowKey)
  }

  /** The keys that answer a need, or undefined if it was not loaded. */
  answerOf(kind: NeedKind, id: string): readonly string[] | undefined {
    return this.answers.get(needKey(kind, id))
  }
}

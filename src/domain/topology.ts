/** Graphs of keys and what each waits for. Pure, linear in nodes and edges, and safe on chains of any length. */

export interface Node {
  key: string
  dependencies: readonly string[]
}

/**
 * The keys in an order in which everything comes after what it waits for; among those that could come next, the order
 * given decides. Dependencies on keys that are not among the nodes are passed over. Keys on a cycle, and all that waits
 * for them, are left out: the order is complete when it is as long as the nodes.
 */
export function topologicalOrder(nodes: readonly Node[]): string[] {
  const known = new Set(nodes.map((node) => node.key))
  const dependents = dependentsOf(nodes)
  const unmet = new Map(nodes.map((node) => [node.key, node.dependencies.filter((key) => known.has(key)).length]))
  const order = nodes.filter((node) => unmet.get(node.key) === 0).map((node) => node.key)
  for (const key of order) {
    for (const dependent of dependents.get(key) ?? []) {
      const left = (unmet.get(dependent) ?? 0) - 1
      unmet.set(dependent, left)
      if (left === 0) order.push(dependent)
    }
  }
  return order
}

/** For each key that something waits for, the keys that wait for it, in the order given. */
export function dependentsOf(nodes: readonly Node[]): Map<string, string[]> {
  const dependents = new Map<string, string[]>()
  for (const node of nodes) {
    for (const key of node.dependencies) {
      const list = dependents.get(key)
      if (list) list.push(node.key)
      else dependents.set(key, [node.key])
    }
  }
  return dependents
}

/** The keys of one cycle, each waiting for the next and the last for the first; null where there is none. */
export function findCycle(nodes: readonly Node[]): string[] | null {
  const settled = new Set(topologicalOrder(nodes))
  const stuck = new Map(nodes.filter((node) => !settled.has(node.key)).map((node) => [node.key, node]))
  const first = stuck.keys().next().value
  if (first === undefined) return null
  // Whatever is stuck waits for something that is stuck, so walking on must come back to where it has been.
  const at = new Map<string, number>()
  const path: string[] = []
  for (let key: string | undefined = first; key !== undefined; ) {
    const seen = at.get(key)
    if (seen !== undefined) return path.slice(seen)
    at.set(key, path.length)
    path.push(key)
    key = stuck.get(key)?.dependencies.find((dependency) => stuck.has(dependency))
  }
  return null
}

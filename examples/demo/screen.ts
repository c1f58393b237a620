import { createLogUpdate } from 'log-update'
import { changesBetween, renderTree } from './render.ts'
import type { Tree } from './tree.ts'

/** Shows an objective as it goes on. */
export interface Screen {
  show(tree: Tree): void
  /** Leaves the last state standing. */
  done(): void
}

const FRAME_MS = 100
const MAX_WIDTH = 110

/** Redraws the tree in a terminal; anywhere else, writes a line for each change. */
export function openScreen(stream: NodeJS.WriteStream): Screen {
  return stream.isTTY ? liveScreen(stream) : plainScreen(stream)
}

function plainScreen(stream: NodeJS.WriteStream): Screen {
  let last: Tree | undefined
  return {
    show(tree) {
      for (const line of changesBetween(last, tree)) stream.write(`${line}\n`)
      last = tree
    },
    done: () => undefined,
  }
}

function liveScreen(stream: NodeJS.WriteStream): Screen {
  const update = createLogUpdate(stream)
  let last: Tree | undefined
  const draw = () => {
    if (!last) return
    const width = Math.min(stream.columns || 80, MAX_WIDTH)
    update(renderTree(last, Date.now(), { width, color: stream.hasColors?.() ?? false }))
  }
  // Elapsed times go on between events.
  const timer = setInterval(draw, FRAME_MS)
  return {
    show(tree) {
      last = tree
    },
    done() {
      clearInterval(timer)
      draw()
      update.done()
    },
  }
}

import type { Plugin } from 'vite';

/** V8's explicit compile hint: compile every function as the file is loaded. Other engines read it as a comment. */
const COMPILE_ALL = '//# allFunctionsCalledOnLoad\n';

interface Chunk {
  fileName: string;
  isEntry: boolean;
  imports: readonly string[];
}

/**
 * Marks the chunks that the app loads while it is idle: a browser otherwise compiles a function when it is first called,
 * which is when its screen is opened. What the first screen waits for stays unmarked, as most of it is not called at once.
 */
export function compileHints(): Plugin {
  return {
    name: 'compile-hints',
    apply: 'build',
    generateBundle: {
      // Vite writes the files that a chunk imports on demand above its code; the hint counts only in the first line.
      order: 'post',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const first = loadedFirst(chunks);
        for (const chunk of chunks) if (!first.has(chunk.fileName)) chunk.code = COMPILE_ALL + chunk.code;
      },
    },
  };
}

/** The entries and all that they import, but for what they import on demand. */
export function loadedFirst(chunks: readonly Chunk[]): Set<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const first = new Set<string>();
  const waiting = chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (first.has(name)) continue;
    first.add(name);
    waiting.push(...(byName.get(name)?.imports ?? []));
  }
  return first;
}

/**
 * What there is one of in a process under this name, made when it is first asked for. Next loads a module once a bundle layer: what
 * a page notes, the API's routes and the HTTP server must know.
 */
export function onceAProcess<Made>(name: string, make: () => Made): () => Made {
  const holder = globalThis as typeof globalThis & Record<symbol, Made>;
  const key = Symbol.for(`roundtrip.${name}`);
  return () => {
    holder[key] ??= make();
    return holder[key];
  };
}

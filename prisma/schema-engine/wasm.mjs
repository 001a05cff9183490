import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';

// The engine reports a panic here, by the name its authors chose.
const panics = { message: null, set_message };
globalThis.PRISMA_WASM_PANIC_REGISTRY = panics;

function set_message(message) {
  panics.message = message;
}

/** What the engine said when it panicked last, or null. */
export const lastPanic = () => panics.message;

/** Loads the engine by hand: importing a `.wasm` as a module needs a newer Node than the CLI does, and warns. */
export async function loadSchemaEngine() {
  const file = new URL('./schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const { instance } = await WebAssembly.instantiate(await readFile(fileURLToPath(file)), {
    './schema_engine_bg.js': glue,
  });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return glue.SchemaEngine;
}

/**
 * A JSON-RPC error as the native engine shapes it. `data.message` is what the CLI shows, `data.error_code` is one of
 * Prisma's codes where there is one.
 */
export function describeFailure(error, errorRegistry) {
  const message = readMessage(error, errorRegistry);
  const data = { is_panic: false, message, error_code: error.code ?? null, meta: error.meta ?? null };
  return { code: 4466, message: 'An error happened. Check the data field for details.', data };
}

/** An error thrown by the driver crosses the engine as a number only; its text waits in the registry. */
function readMessage(error, errorRegistry) {
  const hidden = /external error.*?#?(\d+)/i.exec(error.message ?? '');
  const original = hidden && errorRegistry?.registeredErrors[Number(hidden[1])]?.error;
  return original?.message ?? error.message ?? String(error);
}

/** Why a request to the server's functions cannot be served; each transport maps a code to its own status once. */
export type ServiceErrorCode =
  | 'invalid'
  | 'not_found'
  | 'conflict'
  | 'key_reused'
  | 'unauthorised'
  | 'forbidden'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable';

/** `field` is a JSON path such as `settings.timeouts.tls`, or the name of a query parameter. */
export type FieldError = { field: string; message: string };

/** The one error that server functions throw on purpose; its message may be shown to the caller. */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode;
  readonly fields: FieldError[] | undefined;
  /** For `rate_limited`, and `conflict` with what is under way: when another try makes sense, seconds from now. */
  readonly retryAfter: number | undefined;

  constructor(code: ServiceErrorCode, message: string, fields?: FieldError[], retryAfter?: number) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.fields = fields;
    this.retryAfter = retryAfter;
  }
}

/** `invalid`, blaming one field. */
export function invalidField(field: string, message: string): ServiceError {
  return new ServiceError('invalid', `${field} ${message}`, [{ field, message }]);
}

/** `not_found`: there is no such thing with this id, which `field` holds. */
export function notFound(noun: string, id: string, field = 'id'): ServiceError {
  return new ServiceError('not_found', `There is no ${noun} ${id}.`, [{ field, message: 'is unknown' }]);
}

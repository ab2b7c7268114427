interface Reason {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Invalid member or header. */
  readonly param?: string | undefined;
  /** Details of OpenRouter. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The error reply of a strict backend, thrown by its checks. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;
  readonly metadata: Reason['metadata'];

  constructor({ status, code, message, param, metadata }: Reason) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.param = param;
    this.metadata = metadata;
  }
}

/** Encodes the body of an error in the form of the backend. */
export function refusalBody({ code, message, param, status }: Refusal) {
  const type = status === 401 ? 'authentication_error' : 'invalid_request_error';
  return { error: { message, type, param: param ?? null, code } };
}

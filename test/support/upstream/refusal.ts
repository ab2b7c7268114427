interface Reason {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The member or header that is wrong. */
  readonly param?: string | undefined;
}

/** Thrown by the checks: the error reply of a strict backend. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;

  constructor({ status, code, message, param }: Reason) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

/** The body of a refusal in the form of the backend. */
export function refusalBody({ code, message, param, status }: Refusal) {
  const type = status === 401 ? 'authentication_error' : 'invalid_request_error';
  return { error: { message, type, param: param ?? null, code } };
}

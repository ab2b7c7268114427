import type { BridgeError, ErrorReply } from './schemas.ts';

/** A failure as the page shows it: the bridge's own error, or an error of the page if no usable reply arrived. */
export class ApiError extends Error {
  /** `unreachable`: no reply arrived. `unreadable`: the reply is not one of the bridge. */
  readonly code: BridgeError['code'] | 'unreachable' | 'unreadable';
  readonly status: number;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  readonly suggestions: readonly string[];
  readonly requestId: string | undefined;
  /** The `error.code` of the reply, which is more specific than `code`: `preset_exists`, `session_busy`. */
  readonly reason: string | undefined;

  private constructor(fields: Omit<ApiError, 'name' | 'cause' | 'stack'>) {
    super(fields.message);
    this.name = 'ApiError';
    this.code = fields.code;
    this.status = fields.status;
    this.retryable = fields.retryable;
    this.details = fields.details;
    this.suggestions = fields.suggestions;
    this.requestId = fields.requestId;
    this.reason = fields.reason;
  }

  /** Creates the error for a reply whose status is not 2xx. `body` is the parsed body, whatever its shape. */
  static ofReply(status: number, body: unknown): ApiError {
    if (!isErrorReply(body)) {
      return new ApiError({ ...NONE, code: 'unreadable', status, message: `HTTP ${status}` });
    }
    const { code, retryable, details, suggestions } = body.error.bridge_ext;
    return new ApiError({
      code,
      status,
      retryable,
      details,
      suggestions,
      message: body.error.message,
      requestId: body.request_id,
      reason: body.error.code ?? undefined,
    });
  }

  /** Creates the error for a request that received no reply. */
  static unreachable(): ApiError {
    return new ApiError({ ...NONE, code: 'unreachable', status: 0, message: '' });
  }
}

const NONE = {
  retryable: true,
  details: {},
  suggestions: [],
  requestId: undefined,
  reason: undefined,
} as const;

function isErrorReply(body: unknown): body is ErrorReply {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof body.error === 'object' &&
    body.error !== null &&
    'bridge_ext' in body.error
  );
}

import type { RequestIssue } from '../contract/schema/issues.ts';

export interface ApiRequest {
  /** The values of the parameters in the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** The body, which is sent as JSON. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

/** The body of a reply that is not JSON. */
export interface ApiBytes {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/**
 * The HTTP API of the bridge in this process or in another process. An operation is named as in the route table, for example
 * `GET /v1/jobs/{id}`. All methods throw `ApiFailure`, or the reason of the signal on abort.
 */
export interface BridgeApi {
  /** Resolves with the JSON of a successful reply. `T` must be the reply type of the operation. */
  json<T>(operation: string, request: ApiRequest): Promise<T>;
  /** Resolves with the bytes of a successful reply, also where a download is redirected for other callers. */
  bytes(operation: string, request: ApiRequest): Promise<ApiBytes>;
  /** Yields the `data` of each server-sent event. Ends when the bridge ends the stream. */
  events<T>(operation: string, request: ApiRequest): AsyncIterable<T>;
}

/** An error reply of the bridge, or the failure to reach the bridge. */
export class ApiFailure extends Error {
  /** The `bridge_ext.code` of the reply, or `unreachable` without a reply. */
  readonly code: string;
  /** Actions that may solve the problem, best first. */
  readonly suggestions: readonly string[];
  readonly issues: readonly RequestIssue[];

  constructor(
    code: string,
    message: string,
    suggestions: readonly string[] = [],
    issues: readonly RequestIssue[] = [],
  ) {
    super(message);
    this.code = code;
    this.suggestions = suggestions;
    this.issues = issues;
  }
}

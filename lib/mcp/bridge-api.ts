import type { RequestIssue } from '../contract/schema/issues.ts';

/** A request to the HTTP API of the bridge. */
export interface ApiRequest {
  /** Values of the parameters in the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Body, sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** The body of a reply that is not JSON. */
export interface ApiBytes {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/**
 * The HTTP API of the bridge in this process or in another process. Operations are named as in the route table, for example `GET
 * /v1/jobs/{id}`. All methods throw `ApiFailure`, or the reason of the signal after it aborts.
 */
export interface BridgeApi {
  /** Resolves with the JSON of a successful reply. `T` must be the reply type of the operation. */
  json<T>(operation: string, request: ApiRequest): Promise<T>;
  /** Resolves with the bytes of a successful reply. */
  bytes(operation: string, request: ApiRequest): Promise<ApiBytes>;
  /** Yields the `data` of each server-sent event. Ends when the bridge ends the stream. */
  events<T>(operation: string, request: ApiRequest): AsyncIterable<T>;
}

/** An error reply of the bridge, or the failure to reach the bridge. */
export class ApiFailure extends Error {
  /** Error code: `bridge_ext.code` of the reply, or `unreachable` without a reply. */
  readonly code: string;
  /** Suggestions for the caller, best first. */
  readonly suggestions: readonly string[];
  /** Invalid fields of the request and their errors. */
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

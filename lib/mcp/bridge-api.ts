import type { RequestIssue } from '../contract/schema/issues.ts';

/** What a request to the bridge's own HTTP API carries. */
export interface ApiRequest {
  /** For the parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A body that is no JSON. */
export interface ApiBytes {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/**
 * The bridge's HTTP API, of this process or of another one. Operations are named as in the route table: `GET
 * /v1/jobs/{id}`. Everything throws `ApiFailure`, and the signal's reason once it has aborted.
 */
export interface BridgeApi {
  /** The JSON of a successful reply, of the type that the contract names for this operation. */
  json<T>(operation: string, request: ApiRequest): Promise<T>;
  bytes(operation: string, request: ApiRequest): Promise<ApiBytes>;
  /** The `data` of each server-sent event. Ends when the bridge ends the stream. */
  events<T>(operation: string, request: ApiRequest): AsyncIterable<T>;
}

/** Why the bridge refused, or could not be reached. */
export class ApiFailure extends Error {
  /** `bridge_ext.code` of the reply; `unreachable` where there was none. */
  readonly code: string;
  /** What to do, best first. */
  readonly suggestions: readonly string[];
  /** What is wrong with which field, where that is why. */
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

/** All columns of one failure on one row: contract.md 8. */
export interface ErrorRow {
  /** `bridge_ext.code`: the stable name under which the bridge files this failure. */
  readonly bridge: string;
  /** `error.code`, what OpenAI clients switch on. */
  readonly code: string;
  readonly type: string;
  readonly status: number;
  /** Whether the same request may simply be sent again; a thrower that knows the cause may say otherwise. */
  readonly retryable: boolean;
  /** What the reader can do, best first. */
  readonly suggestions: readonly string[];
}

import type { RequestIssue } from '../../lib/contract/schema/issues.ts';

interface Circumstances {
  readonly status?: number;
  readonly code?: string;
  readonly issues?: readonly RequestIssue[];
  readonly cause?: unknown;
  readonly isBroken?: boolean;
}

/** Why a command could not get what it asked the service for, in an operator's words. */
export class ServiceError extends Error {
  /** 1 when the service refused, 4 when none could be reached. */
  readonly exitCode: 1 | 4;
  /** What to do, best first. */
  readonly advice: readonly string[];
  /** Of the reply that refused, or came from no bridge. */
  readonly status: number | undefined;
  /** Whether there was a connection, and it broke before the reply was complete. */
  readonly isBroken: boolean;
  /** `bridge_ext.code` of the reply that refused. */
  readonly code: string | undefined;
  /** What the service says of the fields of the request. */
  readonly issues: readonly RequestIssue[];

  constructor(
    message: string,
    exitCode: 1 | 4,
    advice: readonly string[] = [],
    { status, code, issues = [], cause, isBroken = false }: Circumstances = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
    this.advice = advice;
    this.status = status;
    this.code = code;
    this.issues = issues;
    this.isBroken = isBroken;
  }
}

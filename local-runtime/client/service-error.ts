/** Why a command could not get what it asked the service for, in an operator's words. */
export class ServiceError extends Error {
  /** 1 when the service refused, 4 when none could be reached. */
  readonly exitCode: 1 | 4;
  /** What to do, best first. */
  readonly advice: readonly string[];
  /** Of the reply that refused. */
  readonly status: number | undefined;

  constructor(message: string, exitCode: 1 | 4, advice: readonly string[] = [], status?: number) {
    super(message);
    this.exitCode = exitCode;
    this.advice = advice;
    this.status = status;
  }
}

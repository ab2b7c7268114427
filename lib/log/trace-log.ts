import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { ERRORS } from '../errors/codes.ts';
import { causesOf, toFailureReport } from './failure-report.ts';

/** All that may ever be logged of an image operation: no prompt, no path, no token (specification 1). */
export interface ImageOperationEvent {
  readonly event:
    | 'image_operation_started'
    | 'image_operation_succeeded'
    | 'image_operation_failed';
  readonly traceId: string;
  readonly spanId: string;
  readonly requestId: string;
  /** A registered name. */
  readonly provider?: string;
  /** A `bridge_ext.code`. */
  readonly errorCode?: string;
  readonly retryable?: boolean;
}

/** Where a failure happened: in the reply to a request, or in a task of the bridge itself. */
export type FailureSource = { readonly requestId: string } | { readonly task: string };

export interface TraceLog {
  imageOperation(event: ImageOperationEvent): void;
  /**
   * Reports a failure to the operator as `internal_failure`, once for each cause. Of a request, only failures of the bridge
   * itself are reported: every 500, and what else is a 5xx and has a cause.
   */
  failure(thrown: unknown, source: FailureSource): void;
  /** Warns of ends of jobs that are not sent, because webhooks were switched off before they were. */
  webhooksWaiting(count: number): void;
}

interface Options {
  /** Whether image operations are written; failures always are. */
  readonly isTracing: boolean;
}

/** One JSON line for each event. `write` takes whole lines and never throws. */
export function createTraceLog(
  write: (line: string) => void,
  { isTracing }: Options = { isTracing: true },
): TraceLog {
  const logger = createLogger(write);
  return {
    imageOperation: isTracing ? (event) => logOperation(logger, event) : () => {},
    failure: createFailureLog(logger),
    webhooksWaiting: (pending) => logger.warn('webhooks_waiting', { pending }),
  };
}

function logOperation(
  logger: Logger,
  { event, traceId, spanId, requestId, provider, errorCode, retryable }: ImageOperationEvent,
): void {
  // Named one by one: a member that is added to the event must not be logged until it is added to this list.
  logger.info(event, {
    trace_id: traceId,
    span_id: spanId,
    request_id: requestId,
    ...(provider === undefined ? {} : { provider }),
    ...(errorCode === undefined ? {} : { error_code: errorCode }),
    ...(retryable === undefined ? {} : { retryable }),
  });
}

function createFailureLog(logger: Logger): TraceLog['failure'] {
  // The same failure can be reported by several callers.
  const reported = new WeakSet<object>();

  return (thrown, source) => {
    const error = toBridgeError(thrown);
    if (!isReported(error, source)) return;
    const causes = causesOf(thrown).filter((cause) => cause instanceof Error);
    if (causes.some((cause) => reported.has(cause))) return;
    for (const cause of causes) reported.add(cause);
    const { errorClass, systemCode, stack } = toFailureReport(thrown);
    logger.error('internal_failure', {
      ...('task' in source ? { task: source.task } : { request_id: source.requestId }),
      error_code: error.bridgeCode,
      error_class: errorClass,
      ...(systemCode === undefined ? {} : { system_code: systemCode }),
      stack,
    });
  };
}

function isReported({ code, cause }: BridgeError, source: FailureSource): boolean {
  // An error of the configuration explains itself, unless the system gave the reason.
  if (code === 'configuration') return cause !== undefined;
  if ('task' in source) return true;
  const { status } = ERRORS[code];
  return status === 500 || (status > 500 && cause !== undefined);
}

// A class, because the library lets its formatter be replaced by inheritance only.
class PlainFormatter extends LogFormatter {
  override formatAttributes(
    { logLevel, timestamp, message }: Parameters<LogFormatter['formatAttributes']>[0],
    additional: Parameters<LogFormatter['formatAttributes']>[1],
  ): LogItem {
    const attributes = { time: timestamp.toISOString(), level: logLevel, event: message };
    return new LogItem({ attributes: { ...attributes, ...additional } });
  }
}

function createLogger(write: (line: string) => void): Logger {
  const logger = new Logger({ logLevel: 'INFO', logFormatter: new PlainFormatter() });
  // The library writes INFO to standard output, which belongs to the command line, and has no option for that.
  const writeLine = (line: string) => write(`${line}\n`);
  Object.assign(logger, { console: { info: writeLine, warn: writeLine, error: writeLine } });
  return logger;
}

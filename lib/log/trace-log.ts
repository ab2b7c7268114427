import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { ERRORS } from '../errors/codes.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { causesOf, toFailureReport } from './failure-report.ts';

/** The facts about an image operation that are logged. Contains no prompt, no path and no token. */
export interface ImageOperationEvent {
  readonly event:
    | 'image_operation_started'
    | 'image_operation_succeeded'
    | 'image_operation_failed';
  readonly traceId: string;
  readonly spanId: string;
  readonly requestId: string;
  /** The registered name of the provider. */
  readonly provider?: string;
  /** A `bridge_ext.code`. */
  readonly errorCode?: string;
  readonly retryable?: boolean;
}

/** The place of a failure: the reply to a request, or a task of the bridge. */
export type FailureSource = { readonly requestId: string } | { readonly task: string };

export interface TraceLog {
  imageOperation(event: ImageOperationEvent): void;
  /**
   * Reports a failure to the operator as `internal_failure`, once for each cause. For requests, reports only failures of
   * the bridge itself: every 500, and any other 5xx that has a cause. While a store is unavailable, writes at most one line a
   * minute for each reason. The member `repeated` of a line counts the requests since the previous line that were not logged.
   */
  failure(thrown: unknown, source: FailureSource): void;
  /** Warns about ended jobs that cannot be delivered, because webhooks were disabled before the delivery. */
  webhooksWaiting(count: number): void;
  /** Warns about a property of the database server that the operator should change. */
  storageWarning(warning: { readonly reason: string; readonly skewMs?: number }): void;
  /** Warns about images in the bucket that have no record, and were removed if `isRemoved` is true. */
  orphanedObjects(count: number, isRemoved: boolean): void;
  /** Warns about a certificate of `provenance.signing` that ends in `days` days. */
  certificateEnds(days: number): void;
}

interface Options {
  /** False to log only failures and warnings. */
  readonly isTracing?: boolean;
  readonly clock?: Pick<Clock, 'monotonicMs'>;
}

// Requests that arrive while a database is down must not fill the log.
const LOG_AGAIN_MS = 60_000;

/** Creates a log with one JSON line per event. The function `write` receives whole lines and must not throw. */
export function createTraceLog(
  write: (line: string) => void,
  { isTracing = true, clock = systemClock }: Options = {},
): TraceLog {
  const logger = createLogger(write);
  return {
    imageOperation: isTracing ? (event) => logOperation(logger, event) : () => {},
    failure: createFailureLog(logger, clock),
    webhooksWaiting: (pending) => logger.warn('webhooks_waiting', { pending }),
    storageWarning: ({ reason, skewMs }) =>
      logger.warn('storage_warning', {
        reason,
        ...(skewMs === undefined ? {} : { skew_ms: skewMs }),
      }),
    orphanedObjects: (count, isRemoved) =>
      logger.warn('orphaned_objects', { count, removed: isRemoved }),
    certificateEnds: (days) => logger.warn('certificate_ends', { days }),
  };
}

function logOperation(
  logger: Logger,
  { event, traceId, spanId, requestId, provider, errorCode, retryable }: ImageOperationEvent,
): void {
  // Lists the members, so that a new member of the event is logged only if the member is added here.
  logger.info(event, {
    trace_id: traceId,
    span_id: spanId,
    request_id: requestId,
    ...(provider === undefined ? {} : { provider }),
    ...(errorCode === undefined ? {} : { error_code: errorCode }),
    ...(retryable === undefined ? {} : { retryable }),
  });
}

function createFailureLog(logger: Logger, clock: Pick<Clock, 'monotonicMs'>): TraceLog['failure'] {
  // The causes that were reported. Several callers may report the same failure.
  const reported = new WeakSet<object>();
  const outages = createOutages(clock);

  return (thrown, source) => {
    const error = toBridgeError(thrown);
    if (!isReported(error, source)) return;
    const causes = causesOf(thrown).filter((cause) => cause instanceof Error);
    if (causes.some((cause) => reported.has(cause))) return;
    for (const cause of causes) reported.add(cause);
    const repeated = 'task' in source ? 0 : outages.count(error);
    if (repeated === undefined) return;
    const { errorClass, systemCode, stack } = toFailureReport(thrown);
    logger.error('internal_failure', {
      ...('task' in source ? { task: source.task } : { request_id: source.requestId }),
      error_code: error.bridgeCode,
      error_class: errorClass,
      ...(systemCode === undefined ? {} : { system_code: systemCode }),
      ...(repeated === 0 ? {} : { repeated }),
      stack,
    });
  };
}

interface Outage {
  readonly loggedAtMs: number;
  /** Requests since then that were not logged. */
  readonly requests: number;
}

/** Counts the requests that were rejected because a store is unavailable, by the reason. */
function createOutages(clock: Pick<Clock, 'monotonicMs'>) {
  const outages = new Map<string, Outage>();
  return {
    /** Returns undefined if the request is not logged, otherwise the number of requests since the last line. */
    count({ code, details: { reason } }: BridgeError): number | undefined {
      if (code !== 'overloaded' || typeof reason !== 'string') return 0;
      const nowMs = clock.monotonicMs();
      const last = outages.get(reason);
      if (last !== undefined && nowMs - last.loggedAtMs < LOG_AGAIN_MS) {
        outages.set(reason, { ...last, requests: last.requests + 1 });
        return undefined;
      }
      outages.set(reason, { loggedAtMs: nowMs, requests: 0 });
      return last?.requests ?? 0;
    },
  };
}

function isReported({ code, cause }: BridgeError, source: FailureSource): boolean {
  // The message of a configuration error is sufficient, unless the error has a cause.
  if (code === 'configuration') return cause !== undefined;
  if ('task' in source) return true;
  const { status } = ERRORS[code];
  return status === 500 || (status > 500 && cause !== undefined);
}

// Declared as a class, because the library accepts only a subclass of its formatter.
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
  // Replaces the console, because the library writes the level INFO to standard output, which is reserved for the output of
  // commands, and has no option to change the stream.
  const writeLine = (line: string) => write(`${line}\n`);
  Object.assign(logger, { console: { info: writeLine, warn: writeLine, error: writeLine } });
  return logger;
}

/** The request and the trace that an image operation belongs to. */
type Traced = Pick<ImageOperationEvent, 'traceId' | 'spanId' | 'requestId'>;

/** Logs the start and the end of image operations. */
export function createOperationLog(log: TraceLog) {
  return {
    started: (traced: Traced) =>
      log.imageOperation({ event: 'image_operation_started', ...traced }),
    succeeded: (traced: Traced, provider: string) =>
      log.imageOperation({ event: 'image_operation_succeeded', ...traced, provider }),
    failed(traced: Traced, error: BridgeError): void {
      const { provider, bridgeCode: errorCode, retryable } = error;
      log.imageOperation({
        event: 'image_operation_failed',
        ...traced,
        ...(provider === undefined ? {} : { provider }),
        errorCode,
        retryable,
      });
      log.failure(error, { requestId: traced.requestId });
    },
  };
}

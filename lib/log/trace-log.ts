import { Console } from 'node:console';
import type { Writable } from 'node:stream';
import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';

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

export interface TraceLog {
  imageOperation(event: ImageOperationEvent): void;
}

/** A log that says nothing: `server.tracing.enabled = false`. */
export const silentLog: TraceLog = { imageOperation: () => {} };

/** One JSON line at INFO level for each event, on `stderr`. */
export function createTraceLog(stderr: Writable): TraceLog {
  const logger = createStderrLogger(stderr);
  return {
    imageOperation({ event, traceId, spanId, requestId, provider, errorCode, retryable }) {
      // Named one by one: a member that somebody adds to the event must not find its way out by itself.
      logger.info(event, {
        trace_id: traceId,
        span_id: spanId,
        request_id: requestId,
        ...(provider === undefined ? {} : { provider }),
        ...(errorCode === undefined ? {} : { error_code: errorCode }),
        ...(retryable === undefined ? {} : { retryable }),
      });
    },
  };
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

function createStderrLogger(stderr: Writable): Logger {
  const logger = new Logger({ logLevel: 'INFO', logFormatter: new PlainFormatter() });
  // The library writes INFO to standard output, which belongs to the command line, and has no option for that.
  Object.assign(logger, { console: new Console({ stdout: stderr, stderr }) });
  return logger;
}

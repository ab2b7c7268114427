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

/** A log that writes nothing: `server.tracing.enabled = false`. */
export const silentLog: TraceLog = { imageOperation: () => {} };

/** One JSON line at INFO level for each event. `write` takes whole lines and never throws. */
export function createTraceLog(write: (line: string) => void): TraceLog {
  const logger = createLogger(write);
  return {
    imageOperation({ event, traceId, spanId, requestId, provider, errorCode, retryable }) {
      // Named one by one: a member that is added to the event must not be logged unless it is added here too.
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

function createLogger(write: (line: string) => void): Logger {
  const logger = new Logger({ logLevel: 'INFO', logFormatter: new PlainFormatter() });
  // The library writes INFO to standard output, which belongs to the command line, and has no option for that.
  const info = (line: string) => write(`${line}\n`);
  Object.assign(logger, { console: { info } });
  return logger;
}

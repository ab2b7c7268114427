import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import {
  createTraceLog,
  type FailureSource,
  type ImageOperationEvent,
  type TraceLog,
} from '../../../lib/log/trace-log.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const event: ImageOperationEvent = {
  event: 'image_operation_failed',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  requestId: 'request-1',
  provider: 'sandbox',
  errorCode: 'rate_limited',
  retryable: true,
};

describe('createTraceLog', () => {
  it('writes one JSON line of the allowed fields for an event', () => {
    const stderr = createRecorder();

    createTraceLog(stderr.write).imageOperation(event);

    expect(stderr.text()).toMatch(/^\{[^\n]*\}\n$/);
    const { time, ...fields } = JSON.parse(stderr.text());
    expect(fields).toEqual({
      level: 'INFO',
      event: 'image_operation_failed',
      trace_id: event.traceId,
      span_id: event.spanId,
      request_id: 'request-1',
      provider: 'sandbox',
      error_code: 'rate_limited',
      retryable: true,
    });
    expect(new Date(time).toISOString()).toBe(time);
  });

  it.each<[string, (log: TraceLog) => void, object]>([
    [
      'waiting webhooks',
      (log) => log.webhooksWaiting(3),
      { event: 'webhooks_waiting', pending: 3 },
    ],
    [
      'clocks that differ',
      (log) => log.storageWarning({ reason: 'clock_skew', skewMs: -3000 }),
      { event: 'storage_warning', reason: 'clock_skew', skew_ms: -3000 },
    ],
    [
      'images without a record',
      (log) => log.orphanedObjects(2, true),
      { event: 'orphaned_objects', count: 2, removed: true },
    ],
  ])('warns about %s even if tracing is disabled', (_, warn, line) => {
    const stderr = createRecorder();

    warn(createTraceLog(stderr.write, { isTracing: false }));

    const whole = { time: expect.any(String), level: 'WARN', ...line };
    expect(JSON.parse(stderr.text())).toEqual(whole);
  });

  it('omits absent members of the event', () => {
    const stderr = createRecorder();
    const { traceId, spanId, requestId } = event;

    createTraceLog(stderr.write).imageOperation({
      event: 'image_operation_started',
      traceId,
      spanId,
      requestId,
    });

    expect(Object.keys(JSON.parse(stderr.text())).sort()).toEqual(
      ['event', 'level', 'request_id', 'span_id', 'time', 'trace_id'].sort(),
    );
  });

  it('logs a member with the value false', () => {
    const stderr = createRecorder();

    createTraceLog(stderr.write).imageOperation({ ...event, retryable: false });

    expect(JSON.parse(stderr.text())).toHaveProperty('retryable', false);
  });

  it('never logs an unlisted member', () => {
    const stderr = createRecorder();
    const careless = { ...event, prompt: 'a secret boat', cause: new Error('a secret path') };

    createTraceLog(stderr.write).imageOperation(careless);

    expect(stderr.text()).not.toContain('secret');
  });

  it('writes every event on one line', () => {
    const stderr = createRecorder();

    createTraceLog(stderr.write).imageOperation({
      ...event,
      requestId: 'a\nb\r\u2028{"level":"ERROR"}',
    });

    expect(stderr.text().split('\n')).toHaveLength(2);
    expect(JSON.parse(stderr.text()).request_id).toBe('a\nb\r\u2028{"level":"ERROR"}');
  });

  it('writes the events in order, one line each', () => {
    const stderr = createRecorder();
    const log = createTraceLog(stderr.write);

    for (const requestId of ['1', '2', '3']) log.imageOperation({ ...event, requestId });

    const lines = stderr.text().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).request_id)).toEqual(['1', '2', '3']);
  });

  it('logs no image operation if tracing is disabled', () => {
    const stderr = createRecorder();

    createTraceLog(stderr.write, { isTracing: false }).imageOperation(event);

    expect(stderr.text()).toBe('');
  });
});

describe('failure', () => {
  const source = { requestId: 'request-1' };
  const cause = () => Object.assign(new Error('a secret path'), { code: 'SQLITE_FULL' });

  function report(thrown: unknown, from: FailureSource = source): Record<string, unknown>[] {
    const stderr = createRecorder();
    createTraceLog(stderr.write, { isTracing: false }).failure(thrown, from);
    return linesOf(stderr);
  }

  it('logs class, code and own frames in one line, independent of tracing', () => {
    const [line] = report(new TypeError('a secret prompt'));

    expect(line).toEqual({
      time: expect.any(String),
      level: 'ERROR',
      event: 'internal_failure',
      request_id: 'request-1',
      error_code: 'internal',
      error_class: 'TypeError',
      stack: [],
    });
  });

  it('names the task instead of a request', () => {
    const [line] = report(new BridgeError('overloaded', 'the database is full'), { task: 'sweep' });

    expect(line).toMatchObject({ task: 'sweep', error_code: 'overloaded' });
    expect(line).not.toHaveProperty('request_id');
  });

  it.each<[string, BridgeError]>([
    ['a 500', new BridgeError('internal', 'an unexpected failure')],
    ['a full database', new BridgeError('overloaded', 'no', { cause: cause() })],
    ['an upstream that cannot be reached', new BridgeError('upstream', 'no', { cause: cause() })],
    [
      'a setting that the system refuses',
      new BridgeError('configuration', 'no', { cause: cause() }),
    ],
  ])('reports %s', (_name, error) => {
    expect(report(error)).toHaveLength(1);
  });

  it.each<[string, BridgeError]>([
    ['a full queue', new BridgeError('overloaded', 'the queue is full')],
    ['a refused request', new BridgeError('invalid_request', 'no', { cause: cause() })],
    ['a client that has left', new BridgeError('cancelled', 'no', { cause: cause() })],
    ['a setting that is wrong', new BridgeError('configuration', 'server.bind: no')],
  ])('does not report %s', (_name, error) => {
    expect(report(error)).toEqual([]);
  });

  it('reports a failure only once', () => {
    const stderr = createRecorder();
    const log = createTraceLog(stderr.write);
    const error = new BridgeError('internal', 'no', { cause: cause() });

    log.failure(error, source);
    log.failure(error.with({ provider: 'sandbox' }), source);

    expect(linesOf(stderr)).toHaveLength(1);
  });

  it('reports a database that is unavailable to many requests once a minute, with the number of the other requests', async () => {
    const stderr = createRecorder();
    const clock = createManualClock();
    const log = createTraceLog(stderr.write, { clock });
    const reject = (reason: string) =>
      log.failure(
        new BridgeError('overloaded', 'no', { details: { reason }, cause: cause() }),
        source,
      );

    for (let request = 0; request < 1000; request += 1) reject('state_store_failing');
    reject('state_store_full');
    await clock.advance(60_000);
    reject('state_store_failing');
    reject('state_store_failing');

    expect(linesOf(stderr).map(({ repeated }) => repeated)).toEqual([undefined, undefined, 999]);
  });

  it('reports each failure of the bridge itself', () => {
    const stderr = createRecorder();
    const log = createTraceLog(stderr.write);

    for (let request = 0; request < 3; request += 1) {
      log.failure(new BridgeError('internal', 'no', { cause: cause() }), source);
    }

    expect(linesOf(stderr)).toHaveLength(3);
  });
});

const linesOf = (stderr: { text(): string }): Record<string, unknown>[] =>
  stderr
    .text()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

function createRecorder() {
  let text = '';
  return {
    write(line: string): void {
      text += line;
    },
    text: () => text,
  };
}

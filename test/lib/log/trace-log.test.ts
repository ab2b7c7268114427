import { describe, expect, it, vi } from 'vitest';
import { createTraceLog, type ImageOperationEvent, silentLog } from '../../../lib/log/trace-log.ts';

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

  it('leaves out what the event does not have', () => {
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

  it('keeps false, which is not nothing', () => {
    const stderr = createRecorder();

    createTraceLog(stderr.write).imageOperation({ ...event, retryable: false });

    expect(JSON.parse(stderr.text())).toHaveProperty('retryable', false);
  });

  it('never writes a member that the list does not have', () => {
    const stderr = createRecorder();
    const careless = { ...event, prompt: 'a secret boat', cause: new Error('a secret path') };

    createTraceLog(stderr.write).imageOperation(careless);

    expect(stderr.text()).not.toContain('secret');
  });

  it('keeps an event on one line, whatever is in it', () => {
    const stderr = createRecorder();

    createTraceLog(stderr.write).imageOperation({
      ...event,
      requestId: 'a\nb\r\u2028{"level":"ERROR"}',
    });

    expect(stderr.text().split('\n')).toHaveLength(2);
    expect(JSON.parse(stderr.text()).request_id).toBe('a\nb\r\u2028{"level":"ERROR"}');
  });

  it('writes the events in their order, a line each', () => {
    const stderr = createRecorder();
    const log = createTraceLog(stderr.write);

    for (const requestId of ['1', '2', '3']) log.imageOperation({ ...event, requestId });

    const lines = stderr.text().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).request_id)).toEqual(['1', '2', '3']);
  });
});

describe('silentLog', () => {
  it('writes nothing', () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);

    silentLog.imageOperation(event);
    const written = stderr.mock.calls.length;
    vi.restoreAllMocks();

    expect(written).toBe(0);
  });
});

function createRecorder() {
  let text = '';
  return {
    write(line: string): void {
      text += line;
    },
    text: () => text,
  };
}

import { Readable } from 'node:stream';
import * as v from 'valibot';
import { beforeEach, describe, expect, it } from 'vitest';
import { closedObject } from '../../../../lib/contract/schema/closed-object.ts';
import { createBodyBudget } from '../../../../lib/http/body/body-budget.ts';
import type { HttpContext, HttpReply } from '../../../../lib/http/http-event.ts';
import { createOperation } from '../../../../lib/http/operation.ts';
import { ok } from '../../../../lib/http/reply/reply.ts';
import { bookForm } from '../../../support/echo-form.ts';
import { formBytes, formType } from '../../../support/form-bytes.ts';
import { openHttpSettings, toEvent } from '../../../support/invoke.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

const MIB = 1024 * 1024;
const BUDGET = 10 * MIB;

/** The bytes counted by the budget while the handler runs. */
let heldInHandler = -1;

const operation = createOperation({
  id: 'takeBody',
  summary: 'Take a body',
  protection: 'read',
  request: { form: bookForm, body: closedObject({ title: v.string() }) },
  reply: { status: 200, description: 'It was taken.' },
  errors: [],
  handle() {
    heldInHandler = bodies.heldBytes();
    return ok({});
  },
});

let bodies: ReturnType<typeof createBodyBudget>;
beforeEach(() => {
  bodies = createBodyBudget(BUDGET);
  heldInHandler = -1;
});

const json = (bytes: number) => Buffer.from(`{"title":"${'t'.repeat(bytes - 12)}"}`);

/** Starts a request whose body consists of the chunks that the test pushes. */
function send(headers: Readonly<Record<string, string>>, clock = createManualClock()) {
  const body = new Readable({ read() {} });
  const aborting = new AbortController();
  const listeners: ((isComplete: boolean) => void)[] = [];
  const context: HttpContext<object> = {
    services: {},
    settings: openHttpSettings({ bodies, clock, bodyIdleMs: 30_000 }),
    signal: () => aborting.signal,
    onReplied: (listener) => listeners.push(listener),
  };
  const event = { ...toEvent({ method: 'POST', headers }), body };
  return {
    body,
    clock,
    abort: (reason: Error) => aborting.abort(reason),
    reply: operation(event, context),
    /** Reports that the reply was written or that the client disconnected. */
    end: () => {
      for (const listener of listeners) listener(true);
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const declared = (bytes: number) => ({ ...JSON_TYPE, 'content-length': String(bytes) });

function codeOf({ body }: HttpReply): unknown {
  return JSON.parse(Buffer.from(body as Uint8Array).toString()).error?.bridge_ext;
}

/** Waits until the request makes no further progress. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('readBody', () => {
  it('counts a JSON body three times until its reply is complete', async () => {
    const request = send(declared(MIB));
    await settled();
    expect(bodies.heldBytes()).toBe(3 * MIB);

    request.body.push(json(MIB));
    request.body.push(null);

    expect((await request.reply).statusCode).toBe(200);
    expect(heldInHandler).toBe(3 * MIB);
    request.end();
    expect(bodies.heldBytes()).toBe(0);
  });

  it('counts a form once', async () => {
    const form = formBytes([
      { name: 'title', content: 'a book' },
      { name: 'page', filename: '1.png', type: 'image/png', content: 'x'.repeat(MIB) },
    ]);
    const { length } = form;
    const request = send({ 'content-type': formType(), 'content-length': String(length) });
    request.body.push(form);
    request.body.push(null);

    expect((await request.reply).statusCode).toBe(200);
    expect(heldInHandler).toBe(length);
  });

  it('rejects a body above the budget before it reads a byte', async () => {
    const other = send(declared(3 * MIB));
    const request = send(declared(MIB));

    const reply = await request.reply;

    expect(reply.statusCode).toBe(503);
    expect(reply.headers['retry-after']).toBe('1');
    expect(codeOf(reply)).toMatchObject({
      code: 'overloaded',
      retryable: true,
      details: { reason: 'body_memory' },
    });
    expect(request.body.readableFlowing).not.toBe(true);
    other.body.push(null);
    await other.reply;
  });

  it('counts a body of unknown length as it grows, and rejects it above the budget', async () => {
    const first = send(declared(MIB));
    const request = send({ ...JSON_TYPE, 'transfer-encoding': 'chunked' });
    await settled();
    expect(bodies.heldBytes()).toBe(3 * MIB);

    request.body.push(Buffer.alloc(MIB, ' '));
    await settled();
    expect(bodies.heldBytes()).toBe(6 * MIB);
    request.body.push(Buffer.alloc(MIB, ' '));

    expect((await request.reply).statusCode).toBe(503);
    expect(bodies.heldBytes()).toBe(3 * MIB);
    first.body.push(null);
    await first.reply;
    expect(heldInHandler).toBe(-1);
  });

  it.each<[string, (request: ReturnType<typeof send>) => void]>([
    ['the client disconnects', ({ body }) => body.destroy()],
    ['the connection fails', ({ body }) => body.destroy(new Error('reset'))],
    ['the request is aborted', ({ abort }) => abort(new Error('stopping'))],
  ])('stops counting a body at once if %s', async (_name, breakOff) => {
    const request = send(declared(MIB));
    request.body.push(Buffer.alloc(1000, ' '));
    await settled();
    expect(bodies.heldBytes()).toBe(3 * MIB);

    breakOff(request);
    await request.reply;

    expect(bodies.heldBytes()).toBe(0);
  });

  it('stops counting an invalid JSON body with its reply', async () => {
    const request = send(declared(MIB));
    request.body.push(Buffer.alloc(MIB, 'x'));
    request.body.push(null);

    expect((await request.reply).statusCode).toBe(400);
    request.end();

    expect(bodies.heldBytes()).toBe(0);
  });

  it('frees the memory of a chunk when its bytes are copied', async () => {
    const bytes = json(MIB);
    const chunks = [Buffer.alloc(MIB / 2), Buffer.alloc(MIB / 2)];
    chunks.forEach((chunk, nth) => void bytes.copy(chunk, 0, (nth * MIB) / 2));
    const { body, reply } = send({ 'content-type': 'application/json' });

    for (const chunk of chunks) body.push(chunk);
    body.push(null);

    expect((await reply).statusCode).toBe(200);
    expect(chunks.map(({ length }) => length)).toEqual([0, 0]);
  });

  it('rejects a body that pauses for server.body_idle_ms with 408', async () => {
    const request = send(declared(100));
    for (let part = 0; part < 3; part++) {
      request.body.push('{');
      await settled();
      await request.clock.advance(29_000);
    }
    await request.clock.advance(1000);

    const reply = await request.reply;

    expect(reply.statusCode).toBe(408);
    expect(request.clock.waiting).toBe(0);
  });

  it('accepts a slow body without pauses', async () => {
    const request = send(declared(10_000));
    for (const byte of json(10_000)
      .toString()
      .match(/.{100}/g) ?? []) {
      request.body.push(byte);
      await settled();
      await request.clock.advance(29_999);
    }
    request.body.push(null);

    expect((await request.reply).statusCode).toBe(200);
    expect(request.clock.waiting).toBe(0);
  });
});

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { createOperation } from '../../../../lib/http/operation.ts';
import { ok } from '../../../../lib/http/reply/reply.ts';
import { invoke } from '../../../support/invoke.ts';

const echo = createOperation({
  id: 'echoBody',
  summary: 'Echo a body',
  protection: 'read',
  request: { body: v.unknown() },
  reply: { status: 200, description: 'The body.' },
  errors: [],
  handle: ({ body }) => ok(body),
});

const send = (text: string) => invoke(echo, { method: 'POST', body: Buffer.from(text) }, {});

describe('jsonBody', () => {
  it.each([
    ['__proto__', '{"__proto__":{"a":1}}'],
    ['__proto__ inside an object', '{"a":[{"__proto__":1}]}'],
    ['__proto__ with an escape', '{"\\u005f_proto__":{"a":1}}'],
    ['constructor with a prototype', '{"constructor":{"prototype":{"a":1}}}'],
    ['constructor with an escape', '{"c\\u006fnstructor":{"prototype":{"a":1}}}'],
  ])('rejects the name %s', async (_, text) => {
    const { status, json } = await send(text);

    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { message: 'the body is not valid JSON' } });
  });

  it.each([
    ['the word constructor', { a: 'a constructor of __proto__' }],
    ['a line break as an escape', { a: 'one\ntwo' }],
    ['a constructor without a prototype', { constructor: { a: 1 } }],
  ])('accepts a body with %s', async (_, body) => {
    expect((await send(JSON.stringify(body))).json).toEqual(body);
  });

  it('accepts characters that are written as escapes', async () => {
    expect((await send('{"a":"\\u00e9"}')).json).toEqual({ a: 'é' });
  });

  it.each(['{', '{"a":}', '"__proto__', '\\u'])('rejects %s', async (text) => {
    expect((await send(text)).status).toBe(400);
  });
});

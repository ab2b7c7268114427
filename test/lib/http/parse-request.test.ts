import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { IdempotencyHeaders } from '../../../lib/contract/request/image-request.ts';
import { closedObject } from '../../../lib/contract/schema/closed-object.ts';
import { createOperation } from '../../../lib/http/operation.ts';
import { ok } from '../../../lib/http/reply/reply.ts';
import { invoke } from '../../support/invoke.ts';

const echo = createOperation({
  id: 'echo',
  summary: 'Reply with what was parsed',
  protection: 'read',
  request: {
    query: closedObject({ page: v.optional(v.string()) }),
    headers: IdempotencyHeaders,
  },
  reply: { status: 200, description: 'What was parsed.' },
  errors: [],
  handle: ({ query, headers }) => ok({ page: query.page, key: headers['idempotency-key'] }),
});

const withQuery = (query: string) => invoke(echo, { query }, {});

/** Sends the header in the form in which Node reads it from a socket: one character per byte. */
const withKey = (key: Buffer) =>
  invoke(echo, { headers: { 'idempotency-key': key.toString('latin1') } }, {});

describe('parseHead', () => {
  it.each([
    ['page=%C3%BC+%26', 'ü &'],
    ['%70age=1', '1'],
    [Buffer.from('page=ü').toString('latin1'), 'ü'],
  ])('decodes the query %j', async (query, page) => {
    expect(await withQuery(query)).toMatchObject({ status: 200, json: { page } });
  });

  it.each([
    'page=%zz',
    'page=%2',
    'page=100%',
    'page=%ff',
    'page=%C3',
    'page=%ED%A0%80',
    '%ff=1',
    'page=\u00ff',
  ])('replies with 400 to the undecodable query %j', async (query) => {
    expect(await withQuery(query)).toMatchObject({
      status: 400,
      json: { error: { code: 'invalid_request', message: expect.stringContaining('query') } },
    });
  });

  it.each(['k', 'Übergrößenträger', '画像'])('reads the header value %s as UTF-8', async (key) => {
    expect(await withKey(Buffer.from(key))).toMatchObject({ status: 200, json: { key } });
  });

  it('counts the UTF-8 bytes of a header value', async () => {
    expect((await withKey(Buffer.from('ü'.repeat(128)))).status).toBe(200);
    expect((await withKey(Buffer.from('ü'.repeat(129)))).status).toBe(422);
  });

  it('replies with 422 to a header value that is not UTF-8', async () => {
    expect(await withKey(Buffer.from([0x66, 0xfc, 0x72]))).toMatchObject({
      status: 422,
      json: { error: { code: 'invalid_request', param: 'idempotency-key' } },
    });
  });
});

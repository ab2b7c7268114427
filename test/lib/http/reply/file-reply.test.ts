import { describe, expect, it } from 'vitest';
import { fileReply, wholeFileReply } from '../../../../lib/http/reply/file-reply.ts';

const file = {
  bytes: Buffer.from('0123456789'),
  mediaType: 'image/png',
  etag: '"abc"',
  filename: 'a.png',
  disposition: 'inline',
} as const;

describe('fileReply', () => {
  it('replies with the whole file and all documented headers', () => {
    const reply = fileReply({}, file);

    expect(reply.status).toBeUndefined();
    expect(reply.body).toBe(file.bytes);
    expect(reply.headers).toEqual({
      'content-type': 'image/png',
      'content-length': '10',
      etag: '"abc"',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline; filename="a.png"',
      'content-security-policy': "default-src 'none'; sandbox",
      'accept-ranges': 'bytes',
    });
  });

  it.each(['"abc"', 'W/"abc"', '"x", "abc"', '*'])(
    'replies to if-none-match %s with 304 and no bytes',
    (tag) => {
      const reply = fileReply({ 'if-none-match': tag }, file);

      expect(reply.status).toBe(304);
      expect(reply.body).toBeUndefined();
      expect(reply.headers).toMatchObject({ etag: '"abc"' });
    },
  );

  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=9-99', '9', 'bytes 9-9/10'],
    [`bytes=7-${'9'.repeat(20)}`, '789', 'bytes 7-9/10'],
    [`bytes=${'0'.repeat(20)}7-8`, '78', 'bytes 7-8/10'],
    [`bytes=-${'9'.repeat(16)}`, '0123456789', 'bytes 0-9/10'],
    ['Bytes = 1-1', '1', 'bytes 1-1/10'],
  ])('replies to the range %s with its part', (range, part, contentRange) => {
    const reply = fileReply({ range }, file);

    expect(reply.status).toBe(206);
    expect(Buffer.from(reply.body as Uint8Array).toString()).toBe(part);
    expect(reply.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(part.length),
    });
  });

  it('reduces an end position that exceeds the range of numbers', () => {
    const reply = fileReply({ range: `bytes=7-${'9'.repeat(400)}` }, file);

    expect(reply.headers).toMatchObject({ 'content-range': 'bytes 7-9/10' });
  });

  it.each(['bytes=0-1,3-4', 'items=0-1', '0-1'])(
    'replies to the range %s with the whole',
    (range) => {
      expect(fileReply({ range }, file).status).toBeUndefined();
    },
  );

  it.each([
    'bytes=10-',
    'bytes=5-2',
    'bytes=-0',
    'bytes=-',
    'bytes=a-b',
    'bytes=',
    `bytes=${'9'.repeat(20)}-`,
    `bytes=${'9'.repeat(20)}-${'9'.repeat(20)}`,
  ])('rejects the range %s and names the length', (range) => {
    expect(() => fileReply({ range }, file)).toThrow(
      expect.objectContaining({
        code: 'range_not_satisfiable',
        headers: { 'content-range': 'bytes */10' },
      }),
    );
  });

  it('replies with the whole file if if-range names other bytes', () => {
    expect(fileReply({ range: 'bytes=0-1', 'if-range': '"old"' }, file).status).toBeUndefined();
    expect(fileReply({ range: 'bytes=0-1', 'if-range': '"abc"' }, file).status).toBe(206);
  });
});

describe('wholeFileReply', () => {
  it('ignores a range and does not send accept-ranges', () => {
    const reply = wholeFileReply({ range: 'bytes=0-3' }, file);

    expect(reply.status).toBeUndefined();
    expect(reply.body).toBe(file.bytes);
    expect(reply.headers).toEqual({
      'content-type': 'image/png',
      'content-length': '10',
      etag: '"abc"',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline; filename="a.png"',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  it('replies with 304 without bytes to a client with a current copy', () => {
    const reply = wholeFileReply({ 'if-none-match': '"abc"' }, file);

    expect([reply.status, reply.body]).toEqual([304, undefined]);
    expect(reply.headers).toMatchObject({ etag: '"abc"' });
  });
});

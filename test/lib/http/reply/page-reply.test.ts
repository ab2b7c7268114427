import { describe, expect, it } from 'vitest';
import { acceptedCoding, type PageFile, pageReply } from '../../../../lib/http/reply/page-reply.ts';

describe('acceptedCoding', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.1, gzip;q=1', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000 ,gzip ; q=0.5', 'gzip'],
    ['*', 'br'],
    ['*, br;q=0', 'gzip'],
    ['*;q=0, gzip', 'gzip'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['brotli, x-gzip', undefined],
    [',;=,;q=0,', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('selects for the header %j the coding %s', (header, coding) => {
    expect(acceptedCoding(header, ['gzip', 'br'])).toBe(coding);
  });

  it('selects only an offered coding', () => {
    expect(acceptedCoding('br, gzip', ['gzip'])).toBe('gzip');
    expect(acceptedCoding('br, gzip', [])).toBeUndefined();
  });
});

const file: PageFile = {
  bytes: Buffer.from('as it is'),
  encoded: { br: Buffer.from('br'), gzip: Buffer.from('gzip') },
  contentType: 'text/css; charset=utf-8',
  tag: 'abc',
  isImmutable: true,
};

describe('pageReply', () => {
  it('sends each coding with its own bytes, length and etag', () => {
    const replies = ['br', 'gzip', 'identity'].map((coding) =>
      pageReply({ 'accept-encoding': coding }, file),
    );

    expect(replies.map(({ body }) => String(body))).toEqual(['br', 'gzip', 'as it is']);
    expect(replies.map(({ headers }) => headers?.['etag'])).toEqual([
      '"abc-br"',
      '"abc-gzip"',
      '"abc"',
    ]);
    expect(replies.map(({ headers }) => headers?.['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
    ]);
    expect(replies.map(({ headers }) => headers?.['content-length'])).toEqual(['2', '4', '8']);
  });

  it('replies with 304 to a client with a current copy in the same coding', () => {
    const headers = { 'accept-encoding': 'br', 'if-none-match': '"abc-br"' };

    const reply = pageReply(headers, file);
    const other = pageReply({ ...headers, 'accept-encoding': 'gzip' }, file);

    expect([reply.status, reply.body]).toEqual([304, undefined]);
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(other.status).toBeUndefined();
  });

  it('marks a file as immutable only if its name changes with its content', () => {
    const kept = pageReply({}, file).headers?.['cache-control'];
    const asked = pageReply({}, { ...file, isImmutable: false }).headers?.['cache-control'];

    expect([kept, asked]).toEqual(['public, max-age=31536000, immutable', 'no-cache']);
  });
});

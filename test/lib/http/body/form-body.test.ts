import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { echoForm, keepPages, sha256, streamForm } from '../../../support/echo-form.ts';
import {
  BOUNDARY,
  formBytes,
  formType,
  inChunks,
  joined,
  type SentPart,
} from '../../../support/form-bytes.ts';
import { invoke, openHttpSettings, toEvent } from '../../../support/invoke.ts';

const title: SentPart = { name: 'title', content: 'a book' };
const page = (content: string | Buffer = 'x'): SentPart => ({
  name: 'page',
  filename: 'p.png',
  content,
});

const send = (body: Buffer, type = formType(), edge = openHttpSettings()) =>
  invoke(echoForm, { method: 'POST', body, headers: { 'content-type': type } }, {}, edge);

interface ErrorReply {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly param: string | null;
    readonly bridge_ext: {
      readonly details: {
        readonly issues?: readonly { readonly field: string; readonly code: string }[];
      };
    };
  };
}

const errorOf = (json: unknown) => (json as ErrorReply).error;

describe('formBody', () => {
  it('returns texts and files, each role in the order of arrival', async () => {
    const [one, two, three, cover] = [5, 70_000, 1, 9].map((size) => randomBytes(size));

    const reply = await send(
      formBytes([
        { name: 'page', filename: '1.png', type: 'image/png', content: one ?? '' },
        { name: 'cover', filename: 'c', content: cover ?? '' },
        title,
        { name: 'page[]', filename: '2', type: 'application/octet-stream', content: two ?? '' },
        { name: 'note', content: 'größer\r\nals 1' },
        { name: 'page', filename: '3', content: three ?? '' },
      ]),
    );

    expect(reply.json).toEqual({
      fields: { title: 'a book', note: 'größer\r\nals 1' },
      unknown: [],
      page: [one, two, three].map((bytes) => bytes && sha256(bytes)),
      cover: [cover && sha256(cover)],
    });
  });

  it.each([1, 2, 3, 7, 64, 1000])('reads the same form from chunks of %d bytes', async (size) => {
    const content = joined([
      '\r\n--',
      BOUNDARY.slice(0, -1),
      '\r\n-',
      randomBytes(900),
      '\r\n\r\n',
    ]);
    const body = joined(['before\r\n', formBytes([title, page(content), { name: 'note' }])]);

    const declared = await streamForm(
      inChunks(body, () => size),
      {
        'content-length': String(body.length),
      },
    );
    const undeclared = await streamForm(inChunks(body, () => size));

    expect(declared).toMatchObject({
      status: 200,
      json: { page: [sha256(content)], fields: { title: 'a book' } },
    });
    expect(undeclared).toEqual(declared);
  });

  it('does not read a JSON body on a route that accepts both', async () => {
    const reply = await send(Buffer.from('{"title":"a book"}'), 'application/json');

    expect(reply.json).toEqual({ json: 'a book' });
  });

  it('accepts only a form on a route without JSON', async () => {
    const keep = () => {};

    const reply = await invoke(keepPages, { method: 'POST', body: { title: 'a book' } }, { keep });

    expect(reply.status).toBe(415);
    expect(errorOf(reply.json).message).toBe('content-type must be multipart/form-data');
  });

  it.each<[string, string]>([
    ['characters that some clients use', '----=_Part_0_(1).2?x/y:z,w'],
    ['70 characters', 'b'.repeat(70)],
    ['one character', 'b'],
    ['a quotation mark', 'a"b'],
    ['a space', 'a b'],
  ])('finds its parts with a boundary of %s', async (_name, boundary) => {
    const quoted = `"${boundary.replaceAll('"', '\\"')}"`;
    const body = formBytes([title, page()], boundary);

    const reply = await send(body, `Multipart/Form-Data; Boundary=${quoted}; charset="UTF-8"`);

    expect(reply.json).toMatchObject({ fields: { title: 'a book' }, page: [expect.any(String)] });
  });

  const closed = formBytes([title]);

  it.each<[string, Buffer]>([
    ['text before the first delimiter', joined(['for old\r\n--readers\r\n', closed])],
    ['an empty line before the first delimiter', joined(['\r\n', closed])],
    ['text behind the last delimiter', joined([closed, 'the end'])],
    ['a second form behind the last delimiter', joined([closed, closed])],
    ['no line end behind the last delimiter', closed.subarray(0, -2)],
    ['blanks behind a delimiter', Buffer.from(closed.toString().replace('\r\n', ' \t\r\n'))],
    [
      'names that are not quoted',
      formBytes([{ headers: ['content-disposition:form-data;name=title'], content: 'a book' }]),
    ],
    [
      'headers that mean nothing here',
      formBytes([
        {
          headers: [
            'X-Any: thing',
            'Content-Disposition: form-data; name="title"',
            'Content-Length: 99',
            'Content-Transfer-Encoding: 8BIT',
            'Content-Type: text/plain; charset=US-ASCII',
          ],
          content: 'a book',
        },
      ]),
    ],
    ['a file input in which nothing was chosen', formBytes([title, { name: 'no', filename: '' }])],
    ['empty text of an unknown name', formBytes([title, { name: 'no' }])],
    ['empty text of a field that may be absent', formBytes([title, { name: 'note' }])],
  ])('accepts %s', async (_name, body) => {
    const reply = await send(body);

    expect(reply.json).toEqual({ fields: { title: 'a book' }, unknown: [], page: [], cover: [] });
  });

  it.each<[string, SentPart]>([
    ['a file name', { name: 'page', filename: 'x.txt', type: 'text/plain; charset=latin1' }],
    ['an empty file name with content', { name: 'page', filename: '', content: 'x' }],
    [
      'an encoded file name',
      { headers: [`${'Content-Disposition: form-data; name="page"'}; filename*=UTF-8''x`] },
    ],
    ['a type that is no text', { name: 'page', type: 'application/octet-stream' }],
    [
      'a path for a name',
      { headers: ['Content-Disposition: form-data; name="page"; filename="C:\\a;b.png"'] },
    ],
    [
      'a quotation mark in the file name',
      { headers: ['Content-Disposition: form-data; filename="a\\"; name=\\"b"; name="page"'] },
    ],
  ])('recognizes a file by %s', async (_name, part) => {
    const reply = await send(formBytes([title, part]));

    expect(reply.json).toMatchObject({ page: [expect.any(String)] });
  });

  it('accepts a filename that is not UTF-8', async () => {
    const body = joined([
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="page"; filename="`,
      Buffer.from('Übergröße\x8f.png', 'latin1'),
      '"\r\n\r\nx\r\n',
      formBytes([title]),
    ]);

    const reply = await send(body);

    expect(reply.json).toMatchObject({ page: [sha256(Buffer.from('x'))] });
  });

  it('keeps any name of an unknown text part', async () => {
    const names = ['__proto__', 'constructor', 'page[0]', 'größe', 'a%0d%0ab', 'a"b'];
    const parts = names.map((name) => ({
      headers: [`Content-Disposition: form-data; name="${name.replaceAll('"', '\\"')}"`],
      content: 'x',
    }));

    const reply = await send(formBytes([title, ...parts]));

    expect(reply.json).toMatchObject({ fields: { title: 'a book' }, unknown: names });
  });

  it('accepts the maximum number of parts and the maximum lengths of heads and names', async () => {
    const long = 'Content-Disposition: form-data; name="note"';
    const padding = `X-Padding: ${'x'.repeat(16_384 - long.length - 2 - 'X-Padding: '.length - 2)}`;
    const name = 'n'.repeat(128);
    const few = [title, { headers: [long, padding], content: 'x' }, { name, content: 'x' }];
    const pages = Array.from({ length: 256 - few.length }, () => page());

    const reply = await send(formBytes([...few, ...pages]));

    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ fields: { note: 'x' }, unknown: [name] });
    expect((reply.json as { page: string[] }).page).toHaveLength(pages.length);
  });

  const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
  const disposition = 'Content-Disposition: form-data; name="note"';
  const withHead = (...headers: string[]) => formBytes([title, { headers, content: 'x' }]);

  it.each<[string, Buffer, string]>([
    ['an empty body', Buffer.alloc(0), 'closing boundary'],
    ['another boundary than declared', formBytes([title], 'another'), 'closing boundary'],
    ['line feeds alone', Buffer.from(String(closed).replaceAll('\r\n', '\n')), 'closing boundary'],
    ['no closing delimiter', closed.subarray(0, -4), 'closing boundary'],
    ['half a closing delimiter', closed.subarray(0, -3), 'closing boundary'],
    ['an end inside content', closed.subarray(0, -40), 'closing boundary'],
    ['an end inside a head', closed.subarray(0, 50), 'closing boundary'],
    ['text alone', Buffer.from('title=a+book'), 'closing boundary'],
    ['a delimiter inside a head', joined([closed.subarray(0, 50), '\r\n', closed]), 'has no end'],
    [
      'text on the line of a delimiter',
      Buffer.from(String(closed).replace('\r\n', 'x\r\n')),
      'alone',
    ],
    ['a delimiter with one dash', Buffer.from(String(closed).replace('\r\n', '-\r\n')), 'alone'],
    ['delimiters alone', Buffer.from(`--${BOUNDARY}\r\n`.repeat(300)), 'has no end'],
    ['a head without lines', formBytes([{ headers: [] }]), 'content-disposition'],
    ['no disposition', withHead('Content-Type: text/plain'), 'content-disposition'],
    ['another disposition', withHead('Content-Disposition: attachment; name="a"'), 'disposition'],
    ['no name', withHead('Content-Disposition: form-data; filename="a"'), 'with a name'],
    ['an empty name', withHead('Content-Disposition: form-data; name=""'), 'with a name'],
    ['a name that is not closed', withHead('Content-Disposition: form-data; name="a'), 'malformed'],
    ['two names', withHead('Content-Disposition: form-data; name="a"; name="b"'), 'malformed'],
    ['two dispositions', withHead(disposition, disposition), 'repeats'],
    ['a line that is no header', withHead(disposition, 'nonsense'), 'not a header'],
    ['a header without a name', withHead(disposition, ': x'), 'not a header'],
    ['a folded header', withHead('Content-Disposition: form-data;', ' name="a"'), 'not a header'],
    ['CR in a name', withHead('Content-Disposition: form-data; name="a\rb"'), 'control character'],
    ['LF in a name', withHead('Content-Disposition: form-data; name="a\nb"'), 'control character'],
    ['NUL in a name', withHead('Content-Disposition: form-data; name="a\0b"'), 'control character'],
    ['LF in a file name', withHead(`${disposition}; filename="a\nb"`), 'control character'],
    ['NUL in a file name', withHead(`${disposition}; filename="a\0b"`), 'control character'],
    ['a type that is none', withHead(disposition, 'Content-Type: text/plain; x'), 'malformed'],
    [
      'a name that is not UTF-8',
      joined([
        `--${BOUNDARY}\r\n${disposition.slice(0, -1)}`,
        Buffer.from([0xff]),
        '"\r\n\r\nx\r\n',
        closed,
      ]),
      'UTF-8',
    ],
    [
      'text that is not UTF-8',
      formBytes([title, { name: 'note', content: Buffer.from([0x61, 0xc3]) }]),
      'UTF-8',
    ],
    ['JSON nested too deeply', formBytes([title, { name: 'extra', content: deep }]), 'nested'],
    [
      'JSON of too many parts',
      formBytes([title, { name: 'extra', content: `[${'1,'.repeat(100_001)}1]` }]),
      'parts',
    ],
  ])('replies to %s with 400', async (_name, body, words) => {
    const reply = await send(body);

    expect(reply.status).toBe(400);
    expect(errorOf(reply.json)).toMatchObject({ code: 'invalid_request', param: null });
    expect(errorOf(reply.json).message).toContain(words);
  });

  it.each<[string, Buffer]>([
    ['base64 content', withHead(disposition, 'Content-Transfer-Encoding: base64')],
    [
      'quoted-printable content',
      withHead(disposition, 'Content-Transfer-Encoding: quoted-printable'),
    ],
    ['parts within a part', withHead(disposition, 'Content-Type: multipart/mixed; boundary=b')],
    ['text in another charset', withHead(disposition, 'Content-Type: text/plain; charset=latin1')],
  ])('replies to %s with 415', async (_name, body) => {
    const reply = await send(body);

    expect(reply.status).toBe(415);
    expect(errorOf(reply.json)).toMatchObject({ code: 'invalid_request', param: null });
  });

  it.each([
    ['multipart/mixed; boundary=b', 415],
    ['multipart/form-datax; boundary=b', 415],
    ['application/x-www-form-urlencoded', 415],
    ['', 415],
    ['multipart/form-data; boundary=b; charset=latin1', 415],
    ['multipart/form-data', 400],
    ['multipart/form-data; boundary=', 400],
    ['multipart/form-data; boundary=""', 400],
    ['multipart/form-data; boundary="b', 400],
    ['multipart/form-data; boundary="b "', 400],
    ['multipart/form-data; boundary=ö', 400],
    [`multipart/form-data; boundary=${'b'.repeat(71)}`, 400],
    ['multipart/form-data; boundary=a; boundary=b', 400],
    ['multipart/form-data; boundary=a, multipart/form-data; boundary=b', 400],
  ])('replies to the type %j with %d before it reads the body', async (type, status) => {
    const unread = new Readable({
      read() {
        throw new Error('the body was read');
      },
    });
    const reply = await streamForm(unread, { 'content-type': type });

    expect(reply.status).toBe(status);
  });

  const many = (count: number) => formBytes(Array.from({ length: count }, () => page()));
  const bomb = 'X-A: b\r\n'.repeat(2100).slice(0, -2);

  it.each<[string, Buffer, object]>([
    ['257 parts', many(257), { max_parts: 256 }],
    ['10,000 parts', many(10_000), { max_parts: 256 }],
    ['a head of many headers', withHead(disposition, bomb), { max_part_head_bytes: 16_384 }],
    [
      'a head one byte too long',
      withHead(`X: ${'x'.repeat(16_382)}`),
      { max_part_head_bytes: 16_384 },
    ],
    [
      'a head without an end',
      joined([`--${BOUNDARY}\r\n`, 'x'.repeat(100_000)]),
      { max_part_head_bytes: 16_384 },
    ],
    [
      'a head without an end before a delimiter',
      joined([`--${BOUNDARY}\r\n`, 'x'.repeat(20_000), '\r\n', closed]),
      { max_part_head_bytes: 16_384 },
    ],
  ])('replies to %s with 413', async (_name, body, details) => {
    const reply = await send(body);

    expect(reply.status).toBe(413);
    expect(errorOf(reply.json).bridge_ext.details).toEqual(details);
  });

  it('counts an undeclared body and stops reading at the limit', async () => {
    const source = Readable.from(
      inChunks(formBytes([title, page(Buffer.alloc(200_000))]), () => 999),
    );

    const { status } = await streamForm(source, {}, openHttpSettings({ maxBodyBytes: 50_000 }));

    expect(status).toBe(413);
    expect(source.readableEnded).toBe(false);
  });

  it('rejects the 257th part before the rest has arrived', async () => {
    const source = new Readable({ read() {} });

    const replying = streamForm(source);
    const parts = Array.from({ length: 257 }, () => page(Buffer.alloc(1200)));
    source.push(formBytes(parts).subarray(0, -30));
    const { status } = await replying;

    expect(status).toBe(413);
    source.destroy();
  });

  it('replies to an interrupted upload as malformed', async () => {
    const source = new Readable({ read() {} });

    const replying = streamForm(source);
    source.push(closed.subarray(0, 60));
    source.destroy(new Error('reset'));
    const { status } = await replying;

    expect(status).toBe(400);
  });

  it.each<[string, readonly SentPart[], string, string]>([
    ['a required field that is missing', [page()], 'title', 'required'],
    ['no part at all', [], 'title', 'required'],
    ['a required field that is empty', [{ name: 'title' }], 'title', 'invalid_length'],
    ['text given twice', [title, title], 'title', 'repeated'],
    ['empty text given twice', [title, { name: 'note' }, { name: 'note' }], 'note', 'repeated'],
    [
      'unknown text given twice',
      [title, { name: 'a', content: 'x' }, { name: 'a', content: 'y' }],
      'a',
      'repeated',
    ],
    [
      'a file that may come once, twice',
      [title, { ...page(), name: 'cover' }, { ...page(), name: 'cover' }],
      'cover',
      'repeated',
    ],
    ['an unknown file', [title, { ...page(), name: 'index' }], 'index', 'unknown_field'],
    [
      'an unknown file of a risky name',
      [title, { ...page(), name: '__proto__' }],
      '__proto__',
      'unknown_field',
    ],
    ['a file where text is known', [title, { ...page(), name: 'note' }], 'note', 'invalid_type'],
    ['text where a file is known', [title, { name: 'page', content: 'x' }], 'page', 'invalid_type'],
    ['empty text where a file is known', [title, { name: 'cover' }], 'cover', 'invalid_type'],
    [
      'a name that is too long',
      [title, { name: 'ä'.repeat(65) }],
      `["${'ä'.repeat(64)}"]`,
      'invalid_length',
    ],
    ['JSON that is none', [title, { name: 'extra', content: '{' }], 'extra', 'invalid_value'],
  ])('replies to %s with 422', async (_name, parts, field, code) => {
    const reply = await send(formBytes(parts));

    expect(reply.status).toBe(422);
    expect(errorOf(reply.json).param).toBe(field);
    expect(errorOf(reply.json).bridge_ext.details.issues).toMatchObject([{ field, code }]);
  });

  it('reports all issues of a form at once', async () => {
    const reply = await send(
      formBytes([
        { name: 'title' },
        { ...page(), name: 'zebra' },
        { name: 'cover', content: 'x' },
        { name: 'extra', content: '{' },
      ]),
    );

    const fields = errorOf(reply.json).bridge_ext.details.issues?.map(({ field }) => field);
    expect(fields).toEqual(['cover', 'extra', 'title', 'zebra']);
  });

  it('never repeats sent values in a reply', async () => {
    const reply = await send(withHead('Content-Disposition: form-data; name="secret'));

    expect(reply.bytes.toString()).not.toContain('secret');
  });

  it('does not copy the bytes of a form with a declared length', async () => {
    const pages = [randomBytes(300_000), randomBytes(200_000)];
    const body = formBytes([title, ...pages.map(page)]);
    const kept: Buffer[] = [];
    const keep = (buffers: readonly Buffer[]) => kept.push(...buffers);
    const headers = { 'content-type': formType() };
    const event = { ...toEvent({ method: 'POST', body, headers }), body: Readable.from([body]) };
    const signal = () => new AbortController().signal;

    await keepPages(event, {
      services: { keep },
      settings: openHttpSettings(),
      signal,
      onReplied: () => {},
    });

    expect(kept.map(sha256)).toEqual(pages.map(sha256));
    expect(new Set(kept.map(({ buffer }) => buffer)).size).toBe(1);
  });
});

import { describe, expect, test } from 'vitest';
import { MAX_PACKET_BYTES } from '../../../../lib/images/container/container-format.ts';
import { RECORD_PROPERTY, valueIn } from '../../../../lib/images/xmp/xmp-properties.ts';

const RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
const IB = 'xmlns:ib="urn:image-bridge:xmp:1#"';

const packet = (description: string) =>
  `<?xpacket begin="" id="x"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${RDF}>${description}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

describe('valueIn', () => {
  test.each([
    [
      'a CDATA section',
      `<rdf:Description ${IB}><ib:record><![CDATA[{"a":"<&"}]]></ib:record></rdf:Description>`,
    ],
    [
      'escaped text',
      `<rdf:Description ${IB}><ib:record>{&quot;a&quot;:&#34;&lt;&#x26;&#34;}</ib:record></rdf:Description>`,
    ],
    ['an attribute', `<rdf:Description ${IB} ib:record='{"a":"&lt;&amp;"}'/>`],
    [
      'another prefix',
      `<rdf:Description xmlns:q="urn:image-bridge:xmp:1#"><q:record><![CDATA[{"a":"<&"}]]></q:record></rdf:Description>`,
    ],
    [
      'two sections',
      `<rdf:Description ${IB}><ib:record><![CDATA[{"a":]]><![CDATA["<&"}]]></ib:record></rdf:Description>`,
    ],
    [
      'text and a section',
      `<rdf:Description ${IB}><ib:record>{"a":<![CDATA["<&"}]]></ib:record></rdf:Description>`,
    ],
    [
      'a prefix declared further out',
      `<rdf:Description ${IB}><rdf:Bag><rdf:li ib:record="{&quot;a&quot;:&quot;&lt;&amp;&quot;}"/></rdf:Bag></rdf:Description>`,
    ],
    [
      'a second description',
      `<rdf:Description xmlns:dc="d" dc:title="t"/><rdf:Description ${IB}><ib:record><![CDATA[{"a":"<&"}]]></ib:record></rdf:Description>`,
    ],
  ])('reads the record from %s', async (_, description) => {
    expect(await valueIn(packet(description), RECORD_PROPERTY)).toBe('{"a":"<&"}');
  });

  test.each([
    ['nothing', ''],
    ['no XML', 'a record'],
    ['no record', packet('<rdf:Description/>')],
    [
      'the name in another namespace',
      packet('<rdf:Description xmlns:ib="urn:other"><ib:record>{}</ib:record></rdf:Description>'),
    ],
    [
      'an undeclared prefix',
      packet('<rdf:Description><ib:record>{}</ib:record></rdf:Description>'),
    ],
    [
      'a prefix declared elsewhere',
      packet(
        `<rdf:Description ${IB}/><rdf:Description><ib:record>{}</ib:record></rdf:Description>`,
      ),
    ],
    ['tags that do not match', `<a ${IB}><ib:record>{}</a>`],
    [
      'a document type',
      `<!DOCTYPE a [<!ENTITY b "{}">]>${packet(`<rdf:Description ${IB}><ib:record>&b;</ib:record></rdf:Description>`)}`,
    ],
    ['deep nesting', `${`<a ${IB}>`.repeat(200)}<ib:record>{}</ib:record>${'</a>'.repeat(200)}`],
    ['very deep nesting', '<a>'.repeat(100_000) + '</a>'.repeat(100_000)],
    ['names of objects', packet('<__proto__ constructor="1"><prototype/></__proto__>')],
  ])('finds no record in %s', async (_, text) => {
    expect(await valueIn(text, RECORD_PROPERTY)).toBeUndefined();
  });

  test.each([
    [
      'attributes',
      `<a ${Array.from({ length: 40_000 }, (_, index) => `b${index}="c"`).join(' ')}/>`,
    ],
    ['an unquoted attribute', `<a ${'b'.repeat(MAX_PACKET_BYTES - 10)}/>`],
    ['blanks', `<a b${' '.repeat(MAX_PACKET_BYTES - 10)}/>`],
    ['elements', `<a>${'<b/>'.repeat(120_000)}</a>`],
    ['references', `<a ${IB} ib:record="${'&amp;'.repeat(100_000)}"/>`],
    ['ampersands', `<a ${IB} ib:record="${'&'.repeat(500_000)}"/>`],
    ['open tags', '<a '.repeat(170_000)],
    ['comments', `<a>${'<!-- -->'.repeat(60_000)}</a>`],
    ['sections that do not end', '<a><![CDATA['.repeat(40_000)],
    ['declarations', `<a>${'<b xmlns:c="d"/>'.repeat(30_000)}</a>`],
  ])('parses half a megabyte of %s in bounded time', { timeout: 10_000 }, async (_, text) => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PACKET_BYTES + 1024);

    const record = await valueIn(text, RECORD_PROPERTY);

    expect(record === undefined || /^&+$/.test(record)).toBe(true);
  });
});

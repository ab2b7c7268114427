import { findSourceType } from '../../lib/images/xmp/source-type.ts';
import { mergedPacket } from '../../lib/images/xmp/xmp-packet.ts';
import {
  RECORD_PROPERTY,
  SOURCE_TYPE_PROPERTY,
  valuesIn,
} from '../../lib/images/xmp/xmp-properties.ts';
import type { Fuzzer } from './fuzzer.ts';
import { MAX_STRETCH_MS, StretchError, threadCpuMs, withinStretch } from './stretches.ts';

const RECORD = '{"version":"1"}';

/** Reads and merges damaged XMP packets. */
export const xmp: Fuzzer = {
  name: 'xmp',
  tokens: [
    '<',
    '>',
    '&#x',
    ']]>',
    '<![CDATA[',
    '<!--',
    '<?',
    '<a b="',
    '</rdf:RDF>',
    'rdf:about="x"',
    'xmlns:p="urn:image-bridge:xmp:1#"',
    'p:record=',
    'DigitalSourceType',
  ],
  async open() {
    await valuesIn('<a/>', [RECORD_PROPERTY]);
    return {
      async check({ bytes }) {
        withinStretch(() => findSourceType(bytes));
        const beganMs = threadCpuMs();
        const merged = await mergedPacket({ record: RECORD, sourceType: undefined }, bytes);
        const tookMs = threadCpuMs() - beganMs;
        if (tookMs > MAX_STRETCH_MS) throw new StretchError(`merges ${Math.round(tookMs)} ms`);
        const [record] = await valuesIn((merged?.bytes ?? bytes).toString('utf8'), [
          RECORD_PROPERTY,
          SOURCE_TYPE_PROPERTY,
        ]);
        if (merged !== undefined && record !== RECORD) throw new Error('a merged record is lost');
      },
      async close() {},
    };
  },
};

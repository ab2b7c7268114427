import { describe, expect, it } from 'vitest';
import {
  ArtifactHeaders,
  ArtifactQuery,
  ThumbnailQuery,
} from '../../../../lib/contract/resources/artifact.ts';
import { CapabilitiesQuery } from '../../../../lib/contract/resources/provider.ts';
import { PageQuery } from '../../../../lib/contract/schema/page.ts';
import { outputOf, verdictOf } from '../verdict-of.ts';

describe('a query', () => {
  it.each([
    ['of a page', PageQuery, {}, { limit: 20 }],
    ['of a page of one', PageQuery, { limit: '1', cursor: 'x' }, { limit: 1, cursor: 'x' }],
    ['of an artifact', ArtifactQuery, {}, {}],
    ['of a download', ArtifactQuery, { download: 'true' }, { download: true }],
    ['of a thumbnail', ThumbnailQuery, {}, { edge: 320 }],
    ['of a small thumbnail', ThumbnailQuery, { edge: '32' }, { edge: 32 }],
    ['of a large thumbnail', ThumbnailQuery, { edge: '2048' }, { edge: 2048 }],
    ['of capabilities', CapabilitiesQuery, { model: 'm' }, { model: 'm' }],
  ])('%s is read', (_name, schema, query, output) => {
    expect(outputOf(schema, query)).toEqual(output);
  });

  it.each([
    [PageQuery, { limit: '200' }, 'limit: out_of_range'],
    [ArtifactQuery, { download: '1' }, 'download: invalid_value'],
    [ArtifactQuery, { size: '1' }, 'size: unknown_field'],
    [ThumbnailQuery, { edge: '31' }, 'edge: out_of_range'],
    [ThumbnailQuery, { edge: '2049' }, 'edge: out_of_range'],
    [ThumbnailQuery, { width: '100' }, 'width: unknown_field'],
    [CapabilitiesQuery, { model: 'm'.repeat(129) }, 'model: invalid_length'],
  ])('of a wrong kind is refused (%#)', (schema, query, verdict) => {
    expect(verdictOf(schema, query)).toEqual([verdict]);
  });
});

describe('ArtifactHeaders', () => {
  it('returns only known headers', () => {
    const headers = { host: 'x', range: 'bytes=0-1', 'if-none-match': '"a"', accept: '*/*' };

    expect(outputOf(ArtifactHeaders, headers)).toEqual({
      range: 'bytes=0-1',
      'if-none-match': '"a"',
    });
  });
});

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { capabilitiesOf } from '../../../../lib/providers/agent-app-server/capabilities.ts';
import { appServer } from '../../generation/capability-documents.ts';

const SETTINGS = { max_outputs: 255, max_parallel_outputs: 'auto' } as const;

describe('capabilitiesOf', () => {
  const document = capabilitiesOf('agent-app-server', SETTINGS);

  it('returns a valid capability document', () => {
    expect(v.parse(CapabilityDocument, document)).toEqual(document);
  });

  it('returns the document that the negotiation tests use for this provider', () => {
    expect(document).toMatchObject(appServer);
  });

  it('reports sources as conversation attachments and no masks', () => {
    expect(document.source_transport).toBe('conversation_attachment');
    expect(document.masks.support).toBe('unsupported');
  });
});

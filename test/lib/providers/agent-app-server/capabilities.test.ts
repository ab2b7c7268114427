import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { capabilitiesOf } from '../../../../lib/providers/agent-app-server/capabilities.ts';
import { appServer } from '../../generation/capability-documents.ts';

const LIMITS = { provider: 'agent-app-server', maxOutputs: 255, maxParallelOutputs: 255 };

describe('capabilitiesOf', () => {
  const document = capabilitiesOf(LIMITS);

  it('is a document of the contract', () => {
    expect(v.parse(CapabilityDocument, document)).toEqual(document);
  });

  it('is what the tests of negotiation take for this provider', () => {
    expect(document).toMatchObject(appServer);
  });

  it('attaches sources to the conversation and has no masks', () => {
    expect(document.source_transport).toBe('conversation_attachment');
    expect(document.masks.support).toBe('unsupported');
  });
});

import { describe, expect, it } from 'vitest';
import { safetyDetails } from '../../../lib/providers/safety-details.ts';
import { agentRequest, inputOf } from './agent-responses/requests.ts';

const ALWAYS = {
  safety_category: 'content_policy',
  recovery: 'revise_prompt_or_inputs',
  retry_same_request: false,
};

describe('safetyDetails', () => {
  it('reports what is known without any text of the provider', () => {
    expect(safetyDetails(agentRequest(), undefined, [])).toEqual({
      ...ALWAYS,
      requested_moderation: 'auto',
      input_images_present: false,
    });
  });

  it.each([
    ['sources', { images: [inputOf(Buffer.from('x'))] }],
    ['references', { references: [inputOf(Buffer.from('x'))] }],
  ])('says that there were %s', (_name, parts) => {
    expect(safetyDetails(agentRequest(parts), undefined, [])).toMatchObject({
      input_images_present: true,
    });
  });

  it('keeps the words of its lists, each once and in their order, and no others', () => {
    const request = agentRequest({ parameters: { moderation: 'low' } });
    const categories = ['violence', 'sexual', 'violence', 'gore', '<b>', 7, null, 'self-harm'];

    expect(safetyDetails(request, 'output', categories)).toMatchObject({
      requested_moderation: 'low',
      moderation_stage: 'output',
      moderation_categories: ['self-harm', 'sexual', 'violence'],
    });
    expect(safetyDetails(request, 'somewhere', ['gore'])).toEqual({
      ...ALWAYS,
      requested_moderation: 'low',
      input_images_present: false,
    });
  });
});

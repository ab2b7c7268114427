import { describe, expect, it } from 'vitest';
import {
  parseBackendEvent,
  toUsage,
} from '../../../../lib/providers/agent-responses/backend-event.ts';

function usageOf(response: object) {
  const event = parseBackendEvent({ type: 'response.completed', response });
  if (event === undefined || event === 'unknown' || event.type !== 'response.completed') {
    throw new Error('not a completed response');
  }
  return toUsage(event.response);
}

describe('toUsage', () => {
  it('returns the tokens of the response and the numbers of the image tool', () => {
    const usage = usageOf({
      usage: {
        input_tokens: 60,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 40,
        total_tokens: 100,
      },
      tool_usage: {
        image_gen: {
          input_tokens: 61,
          input_tokens_details: { image_tokens: 300 },
          output_tokens: 1056,
          half: 0.5,
          note: 'words',
          nothing: null,
        },
        other_tool: { calls: 7 },
      },
    });

    expect(usage).toEqual({
      input_tokens: 60,
      output_tokens: 40,
      total_tokens: 100,
      provider: { input_tokens: 61, output_tokens: 1056, half: 0.5 },
    });
  });

  it.each([
    ['no usage', {}],
    ['usage that is null', { usage: null, tool_usage: null }],
    ['usage that is a word', { usage: 'much', tool_usage: 'more' }],
    ['usage without numbers', { usage: {}, tool_usage: { image_gen: {} } }],
    ['a tool without usage', { tool_usage: { image_gen: null } }],
    ['invalid token counts', { usage: { input_tokens: -1, output_tokens: 0.5 } }],
    ['invalid names', { tool_usage: { image_gen: { '<b>': 1, 'a b': 2, '': 3 } } }],
    [
      'numbers that cannot be true',
      { usage: { total_tokens: 1e300 }, tool_usage: { image_gen: { input_tokens: 1e308 } } },
    ],
    ['a name that is too long', { tool_usage: { image_gen: { ['x'.repeat(65)]: 1 } } }],
  ])('returns undefined for %s', (_name, response) => {
    expect(usageOf(response)).toBeUndefined();
  });

  it('returns valid members and omits invalid ones', () => {
    const usage = usageOf({ usage: { input_tokens: '60', output_tokens: 40 }, tool_usage: 1 });

    expect(usage).toEqual({ output_tokens: 40 });
  });
});

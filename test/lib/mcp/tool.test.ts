import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { documented } from '../../../lib/contract/schema/fields.ts';
import { type ToolContext, textResult, tool } from '../../../lib/mcp/tool.ts';

const context = {} as ToolContext;

const greet = tool({
  name: 'greet',
  title: 'Greet',
  description: 'Greets.',
  input: v.strictObject({
    name: documented(v.string(), 'Whom to greet.'),
    times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  }),
  isReadOnly: true,
  run: async ({ name, times }) => textResult(`${name} ${times}`),
});

describe('tool', () => {
  it('runs with arguments that match the schema', async () => {
    expect(await greet.run({ name: 'Ada' }, context)).toEqual(textResult('Ada 1'));
  });

  it('treats null as an absent optional argument', async () => {
    expect(await greet.run({ name: 'Ada', times: null }, context)).toEqual(textResult('Ada 1'));
  });

  it('names every invalid argument, and no value of an argument', async () => {
    const refused = greet.run({ times: 0.5, secret: 'value' }, context);

    await expect(refused).rejects.toMatchObject({
      code: 'invalid_request',
      message: [
        'invalid arguments',
        'name is required',
        'secret is not a known field',
        'times must be a whole number',
        'times must be at least 1',
      ].join('\n  '),
      issues: [
        { field: 'name', code: 'required', message: 'is required' },
        { field: 'secret', code: 'unknown_field', message: 'is not a known field' },
        { field: 'times', code: 'out_of_range', message: 'must be a whole number' },
        { field: 'times', code: 'out_of_range', message: 'must be at least 1' },
      ],
    });
  });
});

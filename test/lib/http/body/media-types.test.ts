import { describe, expect, it } from 'vitest';
import { parseHeaderValue } from '../../../../lib/http/body/media-types.ts';

const read = (text: string) => {
  const found = parseHeaderValue(text);
  return found && { value: found.value, ...Object.fromEntries(found.parameters) };
};

describe('parseHeaderValue', () => {
  it.each([
    ['form-data', { value: 'form-data' }],
    [' Form-Data ; ', { value: 'form-data' }],
    ['a;b=c', { value: 'a', b: 'c' }],
    ['a ; B = c ;d="e;f"', { value: 'a', b: 'c', d: 'e;f' }],
    ['a; b=""', { value: 'a', b: '' }],
    ['a; b="c\\"d\\\\e"', { value: 'a', b: 'c"d\\e' }],
    ['a; b="C:\\dir\\x"', { value: 'a', b: 'C:\\dir\\x' }],
    ["a; b*=utf-8''c%20d", { value: 'a', 'b*': "utf-8''c%20d" }],
    ['a; b=c=d/e', { value: 'a', b: 'c=d/e' }],
  ])('reads %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    '',
    ' ',
    ';b=c',
    'a b',
    'a; b',
    'a; b=',
    'a; =c',
    'a; b="c',
    'a; b="c"d',
    'a; b=c; B=d',
  ])('returns undefined for %j', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('parses hostile text in linear time', () => {
    const text = `a; b="${'\\'.repeat(200_001)}`;

    expect(read(text)).toBeUndefined();
  });
});

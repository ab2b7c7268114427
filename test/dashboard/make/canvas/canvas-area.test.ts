import { describe, expect, it } from 'vitest';
import {
  cropTo,
  extendTo,
  parseCanvas,
} from '../../../../dashboard/src/make/canvas/canvas-area.ts';

const SOURCE = { width: 300, height: 200 };
const typed = (x: string, y: string, width: string, height: string) => ({ x, y, width, height });

describe('parseCanvas', () => {
  it('reads whole pixels, also negative positions', () => {
    const area = { x: -20, y: 0, width: 340, height: 200 };

    expect(parseCanvas(typed('-20', '0', '340', '200'), SOURCE)).toEqual(area);
    expect(parseCanvas(typed('−20', '0', '340', '200'), SOURCE)).toEqual(area);
  });

  it.each([
    ['x', typed('', '0', '10', '10')],
    ['x', typed('300', '0', '10', '10')],
    ['y', typed('0', '-10', '10', '10')],
    ['width', typed('0', '0', '0', '10')],
    ['width', typed('0', '0', '9000', '9000')],
    ['height', typed('0', '0', '10', '1.5')],
  ])('names the field that is not valid: %s', (field, text) => {
    expect(parseCanvas(text, SOURCE)).toBe(field);
  });
});

describe('extendTo and cropTo', () => {
  it('extend around the whole image and crop to its middle', () => {
    expect(extendTo(2, SOURCE)).toEqual({ x: -50, y: 0, width: 400, height: 200 });
    expect(extendTo(1, SOURCE)).toEqual({ x: 0, y: -50, width: 300, height: 300 });
    expect(cropTo(1, SOURCE)).toEqual({ x: 50, y: 0, width: 200, height: 200 });
    expect(cropTo(2, SOURCE)).toEqual({ x: 0, y: 25, width: 300, height: 150 });
  });
});

import { describe, expect, it } from 'vitest';
import {
  parseRectangle,
  rectangleFault,
} from '../../../../dashboard/src/canvas/rectangle/rectangle.ts';

const SOURCE = { width: 640, height: 427 };
const TYPED = { x: '10', y: '20', width: '630', height: '407' };

describe('rectangleFault', () => {
  it('accepts pixels inside the image', () => {
    expect(rectangleFault(TYPED, SOURCE)).toBeUndefined();
    expect(parseRectangle(TYPED)).toEqual({ x: 10, y: 20, width: 630, height: 407 });
  });

  it.each([
    ['x', '640'],
    ['x', '-1'],
    ['x', ''],
    ['y', '427'],
    ['y', '1.5'],
    ['width', '631'],
    ['width', '0'],
    ['height', '408'],
    ['height', 'ten'],
    ['height', '123456'],
  ] as const)('returns %s if the field contains "%s"', (name, value) => {
    expect(rectangleFault({ ...TYPED, [name]: value }, SOURCE)).toBe(name);
  });
});

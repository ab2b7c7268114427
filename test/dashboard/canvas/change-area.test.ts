import { describe, expect, it } from 'vitest';
import { wholeOf } from '../../../dashboard/src/canvas/canvas-area.ts';
import {
  cropTo,
  extendTo,
  freeAxis,
  moveHandle,
  PLACES,
  parseCanvas,
  placeImage,
  shrinkTo,
} from '../../../dashboard/src/canvas/change-area.ts';

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

describe('moveHandle', () => {
  const source = { width: 400, height: 200 };
  const whole = wholeOf(source);
  const by = (x: number, y: number) => ({ x, y });

  it('moves the edges of a handle, and no other edge', () => {
    expect(moveHandle(whole, 'w', by(-30, 99), 'extend', source)).toEqual({
      x: -30,
      y: 0,
      width: 430,
      height: 200,
    });
    expect(moveHandle(whole, 'se', by(10, 20), 'extend', source)).toEqual({
      x: 0,
      y: 0,
      width: 410,
      height: 220,
    });
  });

  it('keeps the whole image inside an extended canvas', () => {
    expect(moveHandle(whole, 'nw', by(50, 50), 'extend', source)).toEqual(whole);
  });

  it('keeps a crop inside the image, with at least one pixel', () => {
    expect(moveHandle(whole, 'e', by(90, 0), 'crop', source)).toEqual(whole);
    expect(moveHandle(whole, 'e', by(-900, 0), 'crop', source)).toMatchObject({ width: 1 });
    expect(moveHandle(whole, 's', by(0, -50), 'crop', source)).toMatchObject({ height: 150 });
  });

  it('moves a whole crop as far as the image permits', () => {
    const crop = { x: 10, y: 10, width: 100, height: 100 };

    expect(moveHandle(crop, 'whole', by(-50, 500), 'crop', source)).toEqual({
      ...crop,
      x: 0,
      y: 100,
    });
  });

  it('keeps a canvas that would have too many pixels', () => {
    const large = { width: 8192, height: 8000 };

    expect(moveHandle(wholeOf(large), 's', by(0, 400), 'extend', large)).toEqual(wholeOf(large));
  });
});

describe('placeImage', () => {
  it('places the image at the start, in the middle and at the end of a longer canvas', () => {
    const source = { width: 400, height: 200 };
    const area = extendTo(16 / 6, source);
    const places = PLACES.map((place) => placeImage(area, 'x', place, source).x);

    expect(freeAxis(area, source)).toBe('x');
    expect(places).toEqual([0, area.x, 400 - area.width]);
    expect(freeAxis(wholeOf(source), source)).toBeUndefined();
  });
});

describe('shrinkTo', () => {
  const source = { width: 1000, height: 500 };

  it.each([
    ['both axes', { x: -1000, y: -500, width: 4000, height: 2500 }],
    ['one axis', { x: -3000, y: 0, width: 5000, height: 500 }],
    ['a crop on the other axis', { x: -3000, y: 100, width: 5000, height: 300 }],
  ])('keeps the shares of the part beyond the image on %s', (_axes, area) => {
    const limit = 1_000_000;

    const smaller = shrinkTo(limit, area, source);

    const pixels = (smaller?.width ?? 0) * (smaller?.height ?? 0);
    expect(pixels).toBeLessThanOrEqual(limit);
    expect(pixels).toBeGreaterThan(limit * 0.99);
    const shareOf = ({ x, width }: typeof area) => x / (width - source.width);
    expect(smaller && shareOf(smaller)).toBeCloseTo(shareOf(area), 2);
    expect(smaller?.y).toBeGreaterThanOrEqual(area.y);
  });

  it('returns nothing if the image alone has more pixels', () => {
    expect(shrinkTo(400_000, { x: 0, y: 0, width: 2000, height: 500 }, source)).toBeUndefined();
  });
});

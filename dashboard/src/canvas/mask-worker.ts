import type { Size } from '../images/measure-image.ts';
import { makeEdge, toEdgeTask } from './make-edge.ts';
import { hasEdge } from './mask-edge.ts';
import type { MaskReply, MaskTask, OpenedImage, PaintedMask } from './mask-image.ts';
import { createPlane, planeSize } from './plane.ts';

// Decodes, scales and encodes images of up to 67 megapixels in a worker, so that the page stays responsive. The types
// of the page declare `self` as a window, but this code runs in a worker.
const port = self as unknown as {
  onmessage: ((event: MessageEvent<MaskTask>) => void) | null;
  postMessage(reply: MaskReply | undefined, transfer: readonly Transferable[]): void;
};

port.onmessage = async ({ data }) => {
  try {
    const reply = await replyTo(data);
    port.postMessage(reply, reply.kind === 'opened' ? [reply.opened.bitmap] : []);
  } catch {
    port.postMessage(undefined, []);
  }
};

async function replyTo(task: MaskTask): Promise<MaskReply> {
  switch (task.kind) {
    case 'open':
      return { kind: 'opened', opened: await open(task.image, task.mask) };
    case 'read':
      return { kind: 'read', pixels: await read(task.mask, task.plane) };
    case 'write':
      return { kind: 'written', mask: await write(task.pixels, task.plane, task.size) };
    case 'compose':
      return { kind: 'written', mask: await compose(task.painted) };
    case 'edge':
      return { kind: 'edge', pixels: makeEdge(task.task) };
  }
}

async function open(image: Blob, mask: Blob | undefined): Promise<OpenedImage> {
  const whole = await createImageBitmap(image);
  const size = { width: whole.width, height: whole.height };
  const plane = planeSize(size);
  const bitmap = await scaled(whole, plane);
  return { size, bitmap, pixels: mask && (await read(mask, plane)) };
}

async function scaled(whole: ImageBitmap, { width, height }: Size): Promise<ImageBitmap> {
  if (whole.width === width && whole.height === height) return whole;
  const small = await createImageBitmap(whole, {
    resizeWidth: width,
    resizeHeight: height,
    resizeQuality: 'medium',
  });
  whole.close();
  return small;
}

/** Reads a mask that is transparent where the image may change. Resolves with the pixels of the plane. */
async function read(mask: Blob, plane: Size): Promise<Uint8Array<ArrayBuffer>> {
  const bitmap = await scaled(await createImageBitmap(mask), plane);
  const context = draw(plane, bitmap);
  bitmap.close();
  const { data } = context.getImageData(0, 0, plane.width, plane.height);
  const pixels = new Uint8Array(plane.width * plane.height);
  for (let index = 0; index < pixels.length; index += 1) {
    pixels[index] = 255 - (data[4 * index + 3] ?? 255);
  }
  return pixels;
}

async function write(pixels: Readonly<Uint8Array>, plane: Size, size: Size): Promise<Blob> {
  return toPng(paint(pixels, plane, size));
}

/** Grows and feathers a painted mask, and places the mask on its canvas. Outside the mask, a canvas is transparent. */
async function compose({ mask, source, area, ...edge }: PaintedMask): Promise<Blob> {
  const edges = planeSize(source);
  const plane = createPlane(edges.width, edges.height);
  const whole = { x: 0, y: 0, width: plane.width, height: plane.height };
  plane.put(whole, await read(mask, plane));
  const scale = plane.width / source.width;
  const pixels = hasEdge(edge) ? makeEdge(toEdgeTask(plane, whole, edge, scale)) : plane.pixels;
  const painted = paint(pixels, plane, source);
  if (area === undefined) return toPng(painted);
  const placed = draw(area);
  placed.drawImage(painted.canvas, -area.x, -area.y);
  return toPng(placed);
}

/** Draws the pixels of a plane at a size. The drawing is transparent where the image may change. */
function paint(pixels: Readonly<Uint8Array>, plane: Size, size: Size) {
  const image = new ImageData(plane.width, plane.height);
  for (let index = 0; index < pixels.length; index += 1) {
    image.data[4 * index + 3] = 255 - (pixels[index] ?? 0);
  }
  const painted = draw(plane);
  painted.putImageData(image, 0, 0);
  const isWhole = plane.width === size.width && plane.height === size.height;
  return isWhole ? painted : draw(size, painted.canvas);
}

function toPng({ canvas }: OffscreenCanvasRenderingContext2D): Promise<Blob> {
  return canvas.convertToBlob({ type: 'image/png' });
}

function draw({ width, height }: Size, source?: CanvasImageSource) {
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('not enough memory for an image of this size');
  if (source !== undefined) context.drawImage(source, 0, 0, width, height);
  return context;
}

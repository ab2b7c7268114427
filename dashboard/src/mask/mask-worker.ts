import type { Size } from '../images/measure-image.ts';
import type { MaskReply, MaskTask, OpenedImage } from './mask-image.ts';
import { planeSize } from './plane.ts';

// Decodes, scales and encodes images of up to 67 megapixels in a worker, so that the page stays responsive. The types
// of the page declare `self` as a window, but this code runs in a worker.
const port = self as unknown as {
  onmessage: ((event: MessageEvent<MaskTask>) => void) | null;
  postMessage(reply: MaskReply | undefined, transfer: readonly Transferable[]): void;
};

port.onmessage = async ({ data }) => {
  try {
    if (data.kind === 'open') {
      const opened = await open(data.image, data.mask);
      port.postMessage({ kind: 'opened', opened }, [opened.bitmap]);
    } else {
      const mask = await write(data.pixels, data.plane, data.size);
      port.postMessage({ kind: 'written', mask }, []);
    }
  } catch {
    port.postMessage(undefined, []);
  }
};

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
  const image = new ImageData(plane.width, plane.height);
  for (let index = 0; index < pixels.length; index += 1) {
    image.data[4 * index + 3] = 255 - (pixels[index] ?? 0);
  }
  const painted = draw(plane);
  painted.putImageData(image, 0, 0);
  const isWhole = plane.width === size.width && plane.height === size.height;
  const { canvas } = isWhole ? painted : draw(size, painted.canvas);
  return canvas.convertToBlob({ type: 'image/png' });
}

function draw({ width, height }: Size, source?: CanvasImageSource) {
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('not enough memory for an image of this size');
  if (source !== undefined) context.drawImage(source, 0, 0, width, height);
  return context;
}

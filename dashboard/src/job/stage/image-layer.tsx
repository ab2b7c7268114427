import { ImageOff } from 'lucide';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../../api/api.ts';
import { Icon } from '../../controls/button.tsx';
import type { Size } from '../../images/measure-image.ts';
import { useImage, useSteadyImage } from '../../images/use-image.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';
import { imageSource, imageText, type JobImage, needsFull } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { fitInto, longestShown, type Rect, seenOf } from './geometry.ts';

/** An image in its pane, in CSS pixels. `whole` is its rectangle before zooming. `seen` is the visible part. */
export interface PlacedImage {
  readonly image: JobImage;
  readonly pane: Size;
  readonly whole: Rect;
  readonly seen: Rect;
}

/** The assumed shape of an image until its size has been measured. */
const UNKNOWN: Size = { width: 3, height: 2 };

/** Returns a function that places one of these images in a pane. All images have the same maximum edge length. */
export function usePlaces(images: readonly JobImage[]) {
  const { zoom, measured } = useLook();
  const { value: transform } = zoom.transform;
  const sizes = images.map(({ size, path }) => size ?? measured.value.get(path));
  const known = sizes.filter((size) => size !== undefined);
  const longest = known.length < images.length ? Number.POSITIVE_INFINITY : longestShown(known);
  return (image: JobImage, pane: Size): PlacedImage => {
    const whole = fitInto(sizes[images.indexOf(image)] ?? UNKNOWN, pane, longest);
    return { image, pane, whole, seen: seenOf(whole, transform, pane) };
  };
}

interface ImageLayerProps {
  readonly placed: PlacedImage;
  /** The CSS `clip-path` for the visible part of the pane. By default, the whole pane is visible. */
  readonly clip?: string;
}

const PATTERN_PX = 20;

/** Renders one image in a pane, with the zoom that all panes share. */
export function ImageLayer({ placed: { image, whole }, clip }: ImageLayerProps) {
  const { zoom } = useLook();
  const { size } = image;
  const { x, y, k } = zoom.transform.value;
  const transform = `translate(${x}px, ${y}px) scale(${k})`;
  return (
    <div class="image-layer fill" style={clip === undefined ? {} : { clipPath: clip }}>
      <div
        class={zoom.stepped.value ? 'zoomed fill stepped' : 'zoomed fill'}
        style={{ transform, '--pattern': `${PATTERN_PX / k}px` }}
      >
        <FittedImage key={image.path} image={image} rect={whole} />
      </div>
      {k > 1 && size !== undefined && imageSource(image).isReduced && (
        <p class="reduced num chip">
          {text('job.reduced', { pixels: Math.max(size.width, size.height) })}
        </p>
      )}
    </div>
  );
}

/** Shows the preview at once, and the full image when more pixels are needed than the preview has. */
function FittedImage({ image, rect }: { readonly image: JobImage; readonly rect: Rect }) {
  const { zoom, measure } = useLook();
  const shape = toStyle(rect);
  const source = imageSource(image);
  const wantsFull = useRef(false);
  const { k } = zoom.transform.value;
  // A full image stays loaded after zooming out, so that zooming in again needs no further request.
  wantsFull.current ||= needsFull(rect, k, window.devicePixelRatio);
  const loaded = useSteadyImage(source.path);
  const full = useImage(wantsFull.current ? source.full : undefined);
  const [hasFull, setHasFull] = useState(false);
  const pixels = image.size?.width ?? 0;
  const isEnlarged = rect.width * k > pixels * 4 && pixels > 0;
  const look = [image.format === 'jpeg' ? '' : 'on-pattern', isEnlarged ? 'pixels' : ''].join(' ');

  if (loaded.state === 'failed') return <LostImage error={loaded.error} size={rect} />;
  if (loaded.state === 'loading') return <i class="coming" style={shape} />;
  return (
    <>
      {!hasFull && (
        <img
          class={look}
          style={shape}
          src={loaded.url}
          alt={imageText(image)}
          decoding="async"
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
            measure(image.path, { width, height })
          }
        />
      )}
      {full.state === 'ready' && (
        <img
          class={hasFull ? look : 'unseen'}
          style={shape}
          src={full.url}
          alt={hasFull ? imageText(image) : ''}
          decoding="async"
          draggable={false}
          onLoad={({ currentTarget }) =>
            // The image is decoded off the main thread before it replaces the preview.
            currentTarget.decode().then(
              () => setHasFull(true),
              () => {},
            )
          }
        />
      )}
    </>
  );
}

function toStyle({ left, top, width, height }: Rect) {
  return {
    insetInlineStart: `${left}px`,
    insetBlockStart: `${top}px`,
    inlineSize: `${width}px`,
    blockSize: `${height}px`,
  };
}

/** Explains why an image could not be loaded. `size` is the size of the image in CSS pixels. */
export function LostImage({ error, size }: { readonly error: ApiError; readonly size: Size }) {
  const failure =
    error.status === 404
      ? { title: text('card.removed'), text: text('card.removed.text') }
      : toFailureText(error, Date.now());
  return (
    <div
      class="lost-image fill stack"
      style={{ inlineSize: `${size.width}px`, blockSize: `${size.height}px` }}
      role="status"
    >
      <Icon of={ImageOff} />
      <p>{failure.title}</p>
      <p class="soft">{failure.text}</p>
    </div>
  );
}

/** The distance, in CSS pixels, between the corner of an image and a control that lies over the image. */
export const INSET_PX = 12;

/** Returns the position of a control in an upper corner of the visible part of an image: at its start, or at its end. */
export function upperCorner({ pane, seen }: PlacedImage, atEnd: boolean) {
  return {
    insetBlockStart: `${seen.top + INSET_PX}px`,
    ...(atEnd
      ? { insetInlineEnd: `${pane.width - seen.left - seen.width + INSET_PX}px` }
      : { insetInlineStart: `${seen.left + INSET_PX}px` }),
  };
}

/** Returns the size of an element without its padding, in CSS pixels. Undefined before the first layout. */
export function useBox(element: RefObject<HTMLElement | null>): Size | undefined {
  const [box, setBox] = useState<Size | undefined>(undefined);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      const { inlineSize: width, blockSize: height } = entry?.contentBoxSize[0] ?? {};
      if (width === undefined || height === undefined) return;
      setBox((before) =>
        before?.width === width && before.height === height ? before : { width, height },
      );
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return box;
}

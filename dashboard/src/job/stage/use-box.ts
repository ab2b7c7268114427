import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Size } from '../../images/size.ts';

/** The size of an element without its padding, in CSS pixels; `undefined` before its first layout. */
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

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/**
 * Accepts files that are dropped anywhere on the page, or pasted, while no dialog is open. Otherwise the browser would
 * leave the page and open them. Returns true while files are dragged over the page.
 */
export function useIncomingFiles(take: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const current = useRef(take);
  current.current = take;
  useLayoutEffect(() => {
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const isFree = () => document.querySelector('dialog[open]') === null;

    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      setOver(isFree());
    };
    window.addEventListener('dragenter', onDrag, options);
    window.addEventListener('dragover', onDrag, options);
    window.addEventListener(
      'dragleave',
      // The related target is null only when the pointer leaves the window.
      ({ relatedTarget }) => relatedTarget === null && setOver(false),
      options,
    );
    window.addEventListener(
      'drop',
      (event) => {
        if (!hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        setOver(false);
        if (isFree()) current.current(filesOf(event.dataTransfer));
      },
      options,
    );
    window.addEventListener(
      'paste',
      ({ clipboardData }) => {
        const files = filesOf(clipboardData);
        // Text is pasted as text, even if the clipboard also contains an image of it.
        if (files.length === 0 || clipboardData?.types.includes('text/plain') || !isFree()) return;
        current.current(files);
      },
      options,
    );
    return () => controller.abort();
  }, []);
  return isOver;
}

function hasFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes('Files') ?? false;
}

function filesOf(transfer: DataTransfer | null): readonly File[] {
  return [...(transfer?.files ?? [])];
}

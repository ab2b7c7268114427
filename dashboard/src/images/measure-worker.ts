// The types of the page declare `self` as a window, but this code runs in a worker.
const port = self as unknown as {
  onmessage: ((event: MessageEvent<Blob>) => void) | null;
  postMessage(reply: { readonly width: number; readonly height: number } | undefined): void;
};

port.onmessage = async ({ data }) => {
  try {
    const bitmap = await createImageBitmap(data);
    port.postMessage({ width: bitmap.width, height: bitmap.height });
    bitmap.close();
  } catch {
    port.postMessage(undefined);
  }
};

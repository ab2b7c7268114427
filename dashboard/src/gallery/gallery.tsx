import { text } from '../text/text.ts';

/** The history, newest first. */
export function Gallery() {
  return (
    <main>
      <h1 class="sr">{text('app.images')}</h1>
    </main>
  );
}

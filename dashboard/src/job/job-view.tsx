import { text } from '../text/text.ts';

/** One job, whole. */
export function JobView(_props: { readonly id: string }) {
  return (
    <main>
      <h1 class="sr">{text('app.images')}</h1>
    </main>
  );
}

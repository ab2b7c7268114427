import { render } from 'preact';
import { App } from './app.tsx';
import { createPage, type Page } from './page.ts';
import { PageProvider } from './page-context.ts';
import './styles/tokens.css';
import './styles/base.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app');

// `createPage` sends the first requests. The page is rendered after the next frame, so that the placeholders of
// `index.html` are painted first, because rendering takes longer than one frame.
const page = createPage();
requestAnimationFrame(() => setTimeout(show, 0, root, page));

/** Replaces the placeholders with the page. */
function show(root: HTMLElement, page: Page): void {
  root.replaceChildren();
  render(
    <PageProvider value={page}>
      <App />
    </PageProvider>,
    root,
  );
}

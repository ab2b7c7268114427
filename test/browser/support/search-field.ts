import type { Page } from 'playwright-core';

/** Returns the field that searches the prompts of the gallery. */
export const searchField = (page: Page) => page.getByRole('combobox', { name: 'Search prompts' });

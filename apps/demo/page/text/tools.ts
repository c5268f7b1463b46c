import { englishTools, type ToolTexts } from './en-tools.ts';
import { t } from './text.ts';

/** The texts of the access explorer, the vault and the developer tools, which are loaded with those. */
export const tools: ToolTexts = {
  get access() {
    return (t.tools ?? englishTools).access;
  },
  get vault() {
    return (t.tools ?? englishTools).vault;
  },
  get developer() {
    return (t.tools ?? englishTools).developer;
  },
};

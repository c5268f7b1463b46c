import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { canonicalizeEmail } from './canonicalize-email.ts';

describe('canonicalizeEmail', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    ['  Ada@Example.COM\t\n', 'ada@example.com'],
    ['\u00A0ada@example.com\u3000', 'ada@example.com'],
    ['ａｄａ@example.com', 'ada@example.com'],
    ['ada@example\uFF0Ecom', 'ada@example.com'],
    ['\u212Aelvin@example.com', 'kelvin@example.com'],
    ['ada+tag@mail.example.co.uk', 'ada+tag@mail.example.co.uk'],
    ["o'brien!#$%&*/=?^_`{|}~@example.com", "o'brien!#$%&*/=?^_`{|}~@example.com"],
    ['JOSÉ@EXAMPLE.COM', 'josé@example.com'],
    ['jose\u0301@example.com', 'josé@example.com'],
    ['用户@例子.测试', '用户@例子.测试'],
    ['\u03A9\u0301\u0345@example.com', 'ώι@example.com'],
    ['\u1FF4@example.com', 'ώι@example.com'],
    ['ΟΔΥΣΣΕΥΣ@ΕΛΛΑΣ.GR', 'οδυσσευσ@ελλασ.gr'],
    ['οδυσσευς@ελλας.gr', 'οδυσσευσ@ελλασ.gr'],
    ['\u1C80@example.com', 'в@example.com'],
    ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['ada@XN--BCHER-KVA.example', 'ada@bücher.example'],
    ['ada@bu\u0308cher.example', 'ada@bücher.example'],
    ['ada@mail.xn--fsqu00a.xn--0zwm56d', 'ada@mail.例子.测试'],
    ['ada@xn--fa-hia.de', 'ada@faß.de'],
    ['ada@\u2615\uFE0F.example', 'ada@\u2615.example'],
    ['ada@xn--nothing-.example', 'ada@xn--nothing-.example'],
    ['xn--bcher-kva@example.com', 'xn--bcher-kva@example.com'],
  ])('turns %j into %j', (input, canonical) => {
    expect(canonicalizeEmail(input)).toBe(canonical);
  });

  it.each([
    ['nothing', ''],
    ['no @', 'ada.example.com'],
    ['two @', 'ada@evil@example.com'],
    ['only a full-width @', 'ada\uFF20example.com'],
    ['a full-width @ beside a plain one', 'ada\uFF20x@example.com'],
    ['a small @ beside a plain one', 'ada@example\uFE6B.com'],
    ['no local part', '@example.com'],
    ['one label', 'ada@localhost'],
    ['an empty first label', 'ada@.example.com'],
    ['an empty label inside', 'ada@example..com'],
    ['an empty last label', 'ada@example.com.'],
    ['a comma', 'ada@example.com,eve@example.com'],
    ['a full-width comma', 'ada@example.com\uFF0Ceve'],
    ['a semicolon', 'ada;eve@example.com'],
    ['a double quote', '"ada"@example.com'],
    ['angle brackets', 'Ada <ada@example.com>'],
    ['full-width angle brackets', '\uFF1Cada@example.com\uFF1E'],
    ['a comment', 'ada(comment)@example.com'],
    ['an address literal', 'ada@[192.0.2.1]'],
    ['a backslash', 'ada\\@example.com'],
    ['a space inside', 'ada lovelace@example.com'],
    ['CR LF inside', 'ada@example.com\r\nBcc:eve.com'],
    ['NUL', 'ada\0@example.com'],
    ['a C1 control', 'ada\u0085x@example.com'],
    ['a zero-width space', 'ada\u200B@example.com'],
    ['a soft hyphen', 'a\u00ADda@example.com'],
    ['a right-to-left override', 'ada\u202E@example.com'],
    ['a line separator', 'ada\u2028x@example.com'],
    ['a lone high surrogate', 'ada\uD800@example.com'],
    ['a lone low surrogate', 'ada\uDC00@example.com'],
  ])('refuses %s', (_, input) => {
    expect(canonicalizeEmail(input)).toBeNull();
  });

  it('accepts 254 bytes of canonical form, and not one more', () => {
    const domain = '@example.com';
    const longest = 'a'.repeat(254 - domain.length) + domain;
    expect(canonicalizeEmail(longest)).toBe(longest);
    expect(canonicalizeEmail(`a${longest}`)).toBeNull();
    expect(canonicalizeEmail('é'.repeat(121) + domain)).toHaveLength(133);
    expect(canonicalizeEmail('é'.repeat(122) + domain)).toBeNull();
  });

  it.each([
    ['straße@example.com', 'strasse@example.com'],
    ['ada@faß.de', 'ada@fass.de'],
    ['ışık@example.com', 'işik@example.com'],
    ['ada@gıthub.com', 'ada@github.com'],
    ['İpek@example.com', 'ipek@example.com'],
  ])('keeps %s and %s apart, because they are mailboxes of two people', (one, other) => {
    expect(canonicalizeEmail(one)).not.toBe(canonicalizeEmail(other));
  });

  it('maps ẞ to ß, and İ to i with a dot above', () => {
    expect(canonicalizeEmail('STRAẞE@example.com')).toBe('straße@example.com');
    expect(canonicalizeEmail('İpek@example.com')).toBe('i\u0307pek@example.com');
    expect(canonicalizeEmail('I\u0307PEK@example.com')).toBe('i\u0307pek@example.com');
  });

  it('turns marks into letters before it reorders marks', () => {
    expect(canonicalizeEmail('a@\u0345\uFF9E.com')).toBe(canonicalizeEmail('A@\u0399\uFF9E.COM'));
  });

  it('gives every spelling of every code point one canonical form, which is canonical itself', () => {
    // Most are ideographs and syllables, which are alike.
    const all = codePoints().filter((text, index) => isDeep || isHardToFold(text) || index % 50 === 0);
    const failed = all.filter((character) => disagreements(`a${character}b@example.com`).length > 0);
    expect(failed).toEqual([]);
  });

  it('gives every spelling of texts that are hard to fold one canonical form, which is canonical itself', () => {
    const unstable = codePoints().filter(isHardToFold);
    const marks = codePoints().filter((text) => /\p{M}/u.test(text));
    const troubles = ['İ', 'Σ', 'ς', 'ŉ', 'ﬁ', 'ǅ', 'ẞ', '\u0345', '\u0301', '\u0323', '\u0307', '\u1E9A', '\u212A'];
    const letters = fc.oneof(...[unstable, marks, troubles].map((list) => fc.constantFrom(...list)), fc.string());
    const texts = fc.array(letters, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, texts, (local, domain) => {
        expect(disagreements(`${local}@${domain}.com`)).toEqual([]);
      }),
      { numRuns: isDeep ? 20_000 : 3000 },
    );
  });

  it('gives arbitrary texts a canonical form that is canonical itself', () => {
    const texts = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(texts, texts, (local, domain) => {
        expect(disagreements(`${local}@${domain}.com`)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('does not normalize text of more than 1024 characters, for which NFKC may take seconds', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    const longest = `a${'\u0301'.repeat(1011)}@example.com`;
    expect(longest).toHaveLength(1024);
    expect(canonicalizeEmail(longest)).toBeNull();
    expect(normalize).toHaveBeenCalled();
    normalize.mockClear();
    expect(canonicalizeEmail(`a${longest}`)).toBeNull();
    expect(canonicalizeEmail(`a${'\u0301\u0323'.repeat(60_000)}@example.com`)).toBeNull();
    expect(normalize).not.toHaveBeenCalled();
    normalize.mockRestore();
    expect(canonicalizeEmail(`${' '.repeat(200_000)}ada@example.com`)).toBe('ada@example.com');
  });
});

const isDeep = process.env['DEEP'] !== undefined;

/** Whether a text has another case, or another form that counts as the same. */
function isHardToFold(text: string): boolean {
  return text !== text.normalize('NFKD') || text !== text.toUpperCase() || text !== text.toLowerCase();
}

/** Every code point that is assigned; the others have nothing to be folded by. */
function codePoints(): readonly string[] {
  const all = Array.from({ length: 0x11_0000 }, (_, index) => String.fromCodePoint(index));
  return all.filter((character) => !/[\p{Cn}\p{Co}\p{Cs}]/u.test(character));
}

/** The spellings of an address that have a canonical form, but another one than the address; itself among them. */
function disagreements(address: string): readonly string[] {
  const canonical = canonicalizeEmail(address);
  if (canonical === null) return [];
  return [canonical, ...otherSpellings(address)].filter((spelling) => {
    const other = canonicalizeEmail(spelling);
    return spelling === canonical ? other !== canonical : other !== null && other !== canonical;
  });
}

function otherSpellings(address: string): ReadonlySet<string> {
  const decomposed = address.normalize('NFD');
  const spellings = [address.toLowerCase(), decomposed, address.normalize('NFC')];
  // See foldCase for the two letters whose upper case belongs to others.
  if (!/[ßẞı]/.test(address.normalize('NFKC'))) spellings.push(decomposed.toUpperCase());
  // As a capital, U+0345 is a letter of its own: before other marks it takes them along.
  if (!/[ßẞı]|\u0345/.test(address.normalize('NFKD'))) spellings.push(address.toUpperCase());
  return new Set(spellings.filter((spelling) => spelling !== address));
}

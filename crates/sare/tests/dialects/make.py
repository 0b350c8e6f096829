#!/usr/bin/env python3
"""Writes one small table as people's programs write it: `python3 make.py` beside this file.

pandas writes its own dialects. R writes its own where `Rscript` is found; where it is not, the files are written by the
rules of its manual (`write.table`: quotes around texts and names, NA for missing values, row names without a header).
tests/dialects.rs reads every file and compares it with plain.csv.
"""
import pathlib
import shutil
import subprocess

import pandas as pd

HERE = pathlib.Path(__file__).parent
ROWS = 40


def table():
    colours = ["red", "green", "blue", "light blue"]
    rows = range(ROWS)
    frame = pd.DataFrame({
        "colour": [None if r % 11 == 5 else colours[r * r % 4 + r % 3 // 2] for r in rows],
        "weight": [None if r % 9 == 4 else round(1.25 + 0.37 * (r * 17 % 40), 2) for r in rows],
        "count": [r * 7 % 5 for r in rows],
        "day": pd.to_datetime("2024-01-31") + pd.to_timedelta([r * 13 % 60 for r in rows], unit="D"),
        "class": ["yes" if (r * 17 % 40) + r % 7 > 20 else "no" for r in rows],
    })
    return frame


def by_pandas(frame):
    frame.to_csv(HERE / "plain.csv", index=False)
    frame.to_csv(HERE / "pandas-default.csv")
    frame.to_csv(HERE / "pandas-semicolon.csv", sep=";", decimal=",")
    frame.to_csv(HERE / "pandas-utf-16.tsv", sep="\t", index=False, encoding="utf-16")
    # Among texts NaN may be a text: there the cells stay empty.
    texts = frame.assign(colour=frame.colour.fillna(""))
    texts.to_csv(HERE / "pandas-nan.csv", index=False, na_rep="NaN")
    named = frame.set_index(pd.Index([f"case {r}" for r in range(ROWS)]))
    named.to_csv(HERE / "pandas-row-names.csv")


def by_r():
    script = """
        t <- read.csv("plain.csv", na.strings = "")
        write.csv(t, "r-write-csv.csv")
        write.csv2(t, "r-write-csv2.csv")
        write.table(t, "r-write-table.txt")
        write.table(t, "r-write-table-tab.txt", sep = "\\t", quote = FALSE)
    """
    subprocess.run(["Rscript", "-e", script], cwd=HERE, check=True)


def by_the_rules_of_r(frame):
    def write(name, sep, decimal=".", quote=True, corner=False):
        def cell(value):
            if value is None or value != value:
                return "NA"
            if isinstance(value, pd.Timestamp):
                value = value.strftime("%Y-%m-%d")
            if isinstance(value, str):
                return f'"{value}"' if quote else value
            return f"{value:.15g}".replace(".", decimal)

        mark = '"' if quote else ""
        header = [f"{mark}{n}{mark}" for n in frame.columns]
        lines = [sep.join(['""'] * corner + header)]
        for r, row in enumerate(frame.itertuples(index=False)):
            lines.append(sep.join([f"{mark}{r + 1}{mark}"] + [cell(v) for v in row]))
        (HERE / name).write_text("\n".join(lines) + "\n")

    write("r-write-csv.csv", ",", corner=True)
    write("r-write-csv2.csv", ";", decimal=",", corner=True)
    write("r-write-table.txt", " ")
    write("r-write-table-tab.txt", "\t", quote=False)


def by_spreadsheets(frame):
    """As Excel writes them in a Western European locale: `;`, decimal commas, the Windows code page, `sep=`."""
    plain = (HERE / "plain.csv").read_text().splitlines()
    german = [line.replace(",", ";").replace(".", ",") for line in plain]
    (HERE / "excel-sep.csv").write_text("\r\n".join(["sep=;"] + german) + "\r\n")
    coloured = [line.replace("colour", "Größe", 1) for line in german[:1]] + german[1:]
    (HERE / "excel-latin-1.csv").write_bytes(("\r\n".join(coloured) + "\r\n").encode("cp1252"))
    (HERE / "trailing.csv").write_text("".join(line + ",\n" for line in plain))
    missing = [line.replace(",,", ",#N/A,") for line in plain]
    comments = ["# measured in spring", "# weight in kg, day of delivery"]
    (HERE / "comments.csv").write_text("\n".join(comments + missing) + "\n")


if __name__ == "__main__":
    table_of_all = table()
    by_pandas(table_of_all)
    by_r() if shutil.which("Rscript") else by_the_rules_of_r(table_of_all)
    by_spreadsheets(table_of_all)

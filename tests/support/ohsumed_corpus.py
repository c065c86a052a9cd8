"""Four records and a tree in the formats of OHSUMED's publishers."""

import io
import tarfile

TREE = [  # in no order, as NLM's
    "Asthma;C08.127.108",
    "Respiratory Tract Diseases;C08",
    "Bronchial Diseases;C08.127",
    "Lung Diseases;C08.381",
    "Cystic Fibrosis;C08.381.187",
    "Cystic Fibrosis;C16.320.190",
    "Genetic Diseases;C16.320",
    "Congenital Diseases;C16",
    "Pneumonia;C08.381.677",
    "Pneumonia, Bacterial;C08.381.677.540",
    "Wheezing; Stridor;C08.127.900",  # a heading may hold what ends it
    "Bronchitis;C08.127.446",
    "Bronchitis;C08.381.495",
    "Bronchiolitis;C08.127.446.135",
    "Bronchiolitis;C08.381.495.146",
    "Lung;A04.411",
    "Respiratory System;A04",
]
RECORDS = [
    *(".I 1", ".U", "75051687", ".S", "Acta-Paediatr. 1974 Nov. 63(6). P 843-8."),
    *(".M", "Cystic Fibrosis/*CO; Pneumonia, Bacterial/IM/*DI; Human; Lung/RA."),
    *(".T", "Pneumonia in cystic fibrosis.", ".P", "JOURNAL ARTICLE."),
    *(".W", "Both are", "diseases of the lung.", ".A", "Hoiby-N; Weeke-B."),
    *(".I 2", ".M", "Asthma/*; Human; Asthma/TH.", ".T", "Asthma."),
    *(".I 3", ".M", "Human; Respiratory Tract Diseases.", ".T", "Nothing below the root."),
    *(".I 4", ".U", "9", ".M", "Bronchiolitis; Support, U.S. Gov't, P.H.S..", ".W", "..."),
]
XS = [
    {
        "id": "75051687",
        "title": "Pneumonia in cystic fibrosis.",
        "body": "Both are diseases of the lung.",
        "authors": "Hoiby-N; Weeke-B.",
        "source": "Acta-Paediatr. 1974 Nov. 63(6). P 843-8.",
    },
    {"id": "", "title": "Asthma.", "body": "", "authors": "", "source": ""},
    {"id": "9", "title": "", "body": "...", "authors": "", "source": ""},
]
YS = [  # below C08, where only one path leads
    {"Lung Diseases", "Cystic Fibrosis", "Pneumonia", "Pneumonia, Bacterial"},
    {"Bronchial Diseases", "Asthma"},
    {"Bronchial Diseases", "Lung Diseases"},
]
FILES = {"ohsumed.87": RECORDS, "mtrees2015.bin": TREE}


def data(lines):
    return "".join(f"{line}\n" for line in lines).encode()


def write_folder(folder):
    for name, lines in FILES.items():
        (folder / name).write_bytes(data(lines))
    return folder


def write_tar_gz(path, files=FILES, name="corpus.tar.gz"):
    with tarfile.open(path / name, "w:gz") as archive:
        for member, lines in files.items():
            info = tarfile.TarInfo(f"ohsu-trec/{member}")
            info.size = len(data(lines))
            archive.addfile(info, io.BytesIO(data(lines)))
    return path / name
